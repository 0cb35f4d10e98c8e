// SPDX-License-Identifier: Apache-2.0
// Simulators that are programs of their own.
#include <stdexcept>

#include "gateway/configuration/sections/config_checks.h"
#include "gateway/configuration/sections/config_sections.h"
#include "gateway/configuration/simulator_config.h"

namespace hilgate {
namespace {

using namespace std::chrono_literals;

Endpoint read_endpoint(YamlReader& map, std::string_view key, const std::string& text) {
  try {
    return Endpoint::parse(text);
  } catch (const std::runtime_error& error) {
    map.fault(key, error.what());
    return {};
  }
}

void read_step(YamlReader& map, Nanoseconds window, SimulatorConfig& config) {
  const auto step = map.optional<Nanoseconds>("step");
  if (!step) {
    return;
  }
  if (step->count() <= 0 || window % *step != 0ns) {
    map.fault("step", fmt::format("'{}' does not divide the window of {:g} ms", map.required<std::string>("step"),
                                  static_cast<double>(window.count()) / 1e6));
    return;
  }
  config.step = *step;
}

}  // namespace

void check_reach(YamlReader& map, const Endpoint& address) {
  if (!map.optional<bool>("insecure", false) && !address.is_local()) {
    map.fault("address",
              fmt::format("{} is reached from the network, where anybody may pose as the simulator; write an "
                          "address of this machine and have a tunnel lead there (ssh -L, stunnel), or "
                          "`insecure: true` if no other host is on that network",
                          address.text()));
  }
}

SimulatorConfig read_simulator(YamlReader& map, SimulatorProtocol protocol, const std::string& usual,
                               Nanoseconds window) {
  constexpr Range<Nanoseconds> kPatience{0s, 24h, "0s (no limit) to 24h"};
  constexpr Range<Nanoseconds> kTimeout{0s, 24h, "0s (never) to 24h"};
  SimulatorConfig config{.protocol = protocol};
  config.address = read_endpoint(map, "address", map.optional<std::string>("address", "unix:" + usual));
  check_reach(map, config.address);
  if (map.has("role")) {
    config.listen = map.choice<bool>("role", {{"listen", true}, {"connect", false}});
  }
  read_step(map, window, config);
  config.patience = read_within(map, "patience", kPatience).value_or(config.patience);
  config.timeout = read_within(map, "timeout", kTimeout).value_or(config.timeout);
  if (protocol == SimulatorProtocol::kDancers) {
    config.dancers = map.choice<dancers::Version>(
        "version",
        {{"1.0", dancers::Version::kV1}, {"2025", dancers::Version::kLegacy}, {"2024", dancers::Version::kTimed}},
        config.dancers);
  }
  return config;
}

}  // namespace hilgate
