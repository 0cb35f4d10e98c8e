// SPDX-License-Identifier: Apache-2.0
// A whole frame path on vectors: robots 0..n-1, each with mac_of(i + 1), ipv4_of(i + 1) and ipv6_of(i + 1).
#pragma once

#include <memory>
#include <vector>

#include "path/frame_path.h"
#include "tests/support/fake_clock.h"
#include "tests/support/packets.h"
#include "tests/support/vector_port.h"

namespace hilgate::test {

/// 802.11n at 65 Mbit/s, 20 MHz, 800 ns guard interval, MCS 7. Ethernet's 14 bytes count in L there
/// as 38 - 14 = 24 of overhead.
inline PhyMode ht_mcs7() {
  return {.preamble = Nanoseconds{36'000},
          .symbol = Nanoseconds{4'000},
          .bits_per_symbol = 260,
          .service_bits = 22,
          .overhead_bytes = 24,
          .ack = Nanoseconds{16'000 + 28'000},
          .rate_bps = 65e6,
          .ack_bits = 22 + 8 * 14,
          .block_ack_bits = 22 + 8 * 32,
          .rts_bits = 22 + 8 * 20,
          .rts = Nanoseconds{28'000},
          .sifs = Nanoseconds{16'000}};
}

/// Settings for `robots` robots, each on a port of its own, without media, error-free.
inline PathSettings plain_settings(std::uint32_t robots) {
  PathSettings settings;
  settings.hold_frames = 1024;
  settings.air.modes = {ht_mcs7()};
  settings.air.stations.resize(robots);
  settings.air.rules.resize(std::size_t{robots} * robots);
  for (std::uint32_t i = 0; i < robots; ++i) {
    settings.robots.push_back({PortSlot{i}, {mac_of(i + 1)}, {ipv4_of(i + 1), ipv6_of(i + 1)}});
  }
  return settings;
}

inline BitHazard hazard_of(double ber) {
  return {-std::log1p(-ber)};
}

/// Impairments of which loss is the only one.
inline std::shared_ptr<const Impairments> with_loss(const LossModel& loss) {
  return std::make_shared<const Impairments>(Impairments{.loss = loss});
}
inline std::shared_ptr<const Impairments> independent_loss(double probability) {
  return with_loss(IndependentLoss{probability});
}

class GatewayRig {
 public:
  using Path = FramePath<VectorPort, VectorPool>;

  /// `room`: frames that a port notes without growing.
  explicit GatewayRig(const PathSettings& path_settings, std::size_t buffers = 4096, std::size_t buffer_bytes = 4096,
                      std::size_t room = 65536)
      : settings(path_settings), pool(buffers, buffer_bytes), feed(settings.air.rules.size()) {
    std::uint32_t last_port = 0;
    for (const RobotEntry& robot : settings.robots) {
      last_port = std::max(last_port, robot.port.value());
    }
    std::vector<VectorPort*> raw;
    for (std::uint32_t i = 0; i <= last_port; ++i) {
      ports.push_back(std::make_unique<VectorPort>(pool, clock, room));
      raw.push_back(ports.back().get());
    }
    path = std::make_unique<Path>(settings, raw, pool, feed);
  }
  ~GatewayRig() {
    path->drain();
    for (auto& port : ports) {
      port->reap();
      port->discard_arrivals();
    }
    EXPECT_EQ(pool.leaked(), 0U) << "buffers nobody freed";
  }
  GatewayRig(const GatewayRig&) = delete;
  GatewayRig& operator=(const GatewayRig&) = delete;

  /// A frame arrives now (or at `at`) on a port; fails when there is no buffer for it.
  void arrive(std::uint32_t port, const Bytes& bytes, std::optional<HostTime> at = std::nullopt) {
    const auto frame = pool.make(bytes, at.value_or(clock.now()));
    ASSERT_TRUE(frame) << "the test's pool is too small";
    ports[port]->arrive(*frame);
  }
  /// Every link gets this state from the next iteration on.
  void publish(const LinkState& state) {
    for (LinkState& link : newest_feed().back().links) {
      link = state;
    }
    newest_feed().publish();
  }
  [[nodiscard]] LinkTableFeed& newest_feed() { return feeds_.empty() ? feed : *feeds_.back(); }
  /// The path goes on by other settings of as many robots; until the next publish() all links are well, and stations
  /// are where `attachments` says.
  void change(const PathSettings& next, const std::vector<Attachment>& attachments = {}) {
    settings = next;
    feeds_.push_back(std::make_unique<LinkTableFeed>(next.air.rules.size()));
    feeds_.back()->back().attachments = attachments;
    feeds_.back()->publish();
    PathParts parts(next, ports.size(), *feeds_.back(), &path->parts());
    path->change(parts, clock.now());
  }
  void iterate() { path->iterate(clock); }
  /// Turns every `step` for a while.
  void run(Nanoseconds length, Nanoseconds step = Nanoseconds{1'000}) {
    for (const HostTime end = clock.now() + length; clock.now() < end;) {
      clock.advance(step);
      iterate();
    }
  }
  [[nodiscard]] const std::vector<Sent>& sent(std::uint32_t port) const { return ports[port]->sent(); }
  [[nodiscard]] std::uint64_t dropped(DropReason reason) const {
    return path->totals().dropped[static_cast<std::size_t>(reason)];
  }
  [[nodiscard]] const LinkCounters& link(std::uint32_t from, std::uint32_t to) const {
    const auto robots = static_cast<std::size_t>(std::sqrt(static_cast<double>(path->links().size())) + 0.5);
    return path->links()[link_of(RobotSlot{from}, RobotSlot{to}, robots).value()];
  }

  PathSettings settings;
  FakeClock clock;
  VectorPool pool;
  std::vector<std::unique_ptr<VectorPort>> ports;
  LinkTableFeed feed;
  std::unique_ptr<Path> path;

 private:
  std::vector<std::unique_ptr<LinkTableFeed>> feeds_;  // of changes
};

}  // namespace hilgate::test
