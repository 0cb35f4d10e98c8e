// SPDX-License-Identifier: Apache-2.0
#include "tests/world/daemon_plan.h"

#include <fmt/format.h>

#include <chrono>

#include "tests/support/packets.h"

namespace hilgate::test {
namespace {

// With the longest delay, 30 ms, and a step of 210 us on average, 3400 frames are held, of 6000 buffers.
constexpr std::uint32_t kBusyBurst = 48;

}  // namespace

using namespace std::chrono_literals;

DaemonPlan::DaemonPlan(std::uint64_t seed) : random(seed) {
  robots = 2 + random.below(4);
  window = std::vector<Nanoseconds>{1ms, 2ms, 5ms, 10ms, 20ms}[random.below(5)];
  radio = std::vector<std::string>{"", "wifi_11ac_80", "wifi_11n_2g4_adhoc", "xbee_802154"}[random.below(4)];
  cores = 1 + random.below(2);
  is_hostile = random.chance(0.7);
  is_recorded = random.chance(0.5);
  if (random.chance(0.5)) {
    has_physics = random.chance(0.5);
    has_netsim = !has_physics || random.chance(0.5);
    judges_packets = random.chance(0.6);
    is_impatient = random.chance(0.3);
    late = std::vector<std::string>{"hold_last", "hold_last", "discard", "discard", "halt"}[random.below(5)];
    window = std::vector<Nanoseconds>{5ms, 10ms, 20ms}[random.below(3)];
    if (has_netsim) {
      radio.clear();
      cores = 1;
    }
  } else if (random.chance(0.5)) {
    burst = kBusyBurst;
  }
}

std::string DaemonPlan::text(const std::string& folder, Nanoseconds delay) const {
  std::string file =
      fmt::format("name: world\nwindow: {} us\nmemory: {{frames: 4096}}\nlate: {}\n", window.count() / 1000, late);
  if (is_recorded) {
    file += "record: {folder: runs}\n";
  }
  if (cores > 1) {
    std::string first;
    std::string second;
    for (std::uint32_t i = 0; i < robots; ++i) {
      std::string& own = i % 2 == 0 ? first : second;
      own += fmt::format("{}p{}", own.empty() ? "" : ", ", i);
    }
    file += fmt::format("packet_loop: {{cores: [{{ports: [{}]}}, {{ports: [{}]}}]}}\n", first, second);
  }
  const std::string timeout = is_impatient ? "500ms" : "10s";
  if (has_netsim) {
    file += fmt::format(
        "netsim: {{type: native, address: 'unix:{}/netsim', patience: 0s, timeout: {}{}}}\n", folder, timeout,
        judges_packets ? fmt::format(", expiry: {} ms", kExpiry.count() / 1'000'000) : std::string(", answers: links"));
  } else {
    file += radio.empty() ? "netsim: {type: wire}\n" : "netsim: {type: embedded}\n";
  }
  file += "ports:\n";
  for (std::uint32_t i = 0; i < robots; ++i) {
    file += fmt::format("  p{0}: {{interface: hgw{0}}}\n", i);
  }
  file += "robots:\n";
  for (std::uint32_t i = 0; i < robots; ++i) {
    file += fmt::format("  r{0}: {{port: p{0}, mac: '{1}'{2}}}\n", i, mac_of(i + 1).text(),
                        radio.empty() ? "" : ", radio: " + radio);
  }
  if (has_physics) {
    file += fmt::format("physics: {{type: native, address: 'unix:{}/physics', patience: 0s, timeout: {}}}\n", folder,
                        timeout);
  } else {
    file += "physics:\n  type: trajectory\n  tracks:\n";
    for (std::uint32_t i = 0; i < robots; ++i) {
      file += fmt::format("    r{0}: [{{at: 0s, position: [{1}m, 0m, 2m]}}, {{at: 20s, position: [{2}m, {1}m, 2m]}}]\n",
                          i, 7 * i, 7 * i + 15);
    }
  }
  return file + fmt::format("links:\n  - {{from: r0, to: r1, delay: {} us}}\n", delay.count() / 1000);
}

}  // namespace hilgate::test
