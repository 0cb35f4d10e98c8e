// SPDX-License-Identifier: Apache-2.0
// The air in simulated time: packets go the way of the gateway's own frames, through queues, media, tries and
// impairments, without a clock. For a run in lockstep, and for `serve` as the network simulator of another coordinator.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "clock/time.h"
#include "gateway/configuration/configuration.h"
#include "netsim_link/network_simulator.h"
#include "path/settings/path_settings.h"

namespace hilgate {

/// The path of a gateway that runs in simulated time, without pace. Requires a configuration with the dilation of real
/// time, and its air.
PathSettings path_in_sim_time(const Configuration& configuration, const AirPlan& air);

/// What AirNetwork reports at the end of a step.
enum class AirAnswer : std::uint8_t { kVerdicts, kVerdictsAndLinks };

/// Passes verdicts packet by packet, by the link states of another network simulator. A packet enters the air one
/// window after its capture, where that is known, so that packets keep their distances, else at the beginning of the
/// step that contains it. Where the radio has no check sequence, a verdict has the link's bit error rate, at which the
/// packet's owner flips the bits. Control thread.
class AirNetwork final : public NetworkSimulator {
 public:
  /// `settings`: as of path_in_sim_time(), each robot with a MAC address and a port of its own. `robots`: those of
  /// scenes; access points follow them. `links` is asked for link states, which are `first` until it publishes some;
  /// its verdicts are ignored.
  AirNetwork(const PathSettings& settings, std::uint32_t robots, std::unique_ptr<NetworkSimulator> links,
             LinkTable first, AirAnswer answers);
  ~AirNetwork() override;

  /// Other rules for as many robots, from the next step on. Packets in flight continue.
  void change(const PathSettings& settings);

  void open(Listener listener) override;
  /// A step that begins before the last one is another coordinator's: it finds the air empty.
  void begin(const NetworkQuestion& question) override;
  void close() override { links_->close(); }

 private:
  struct Air;

  void take(const PathSettings& settings);
  void links_ended(NetworkAnswer& answer);
  void enter(const CapturedPacket& packet, const Step& step);
  void run_until(HostTime end);
  void iterate();
  void pass_verdicts(std::size_t drop_reason);
  void receive(std::uint64_t packet, RobotIndex from, RobotIndex to, bool group);
  [[nodiscard]] double bit_error_rate(RobotIndex from, RobotIndex to, bool group) const;

  PathSettings settings_;
  std::uint32_t robots_;
  std::unique_ptr<NetworkSimulator> links_;
  const AirAnswer answers_;
  std::vector<BitHazard> spoils_;  // by LinkIndex: what the configuration adds where errors reach the receiver
  std::vector<bool> is_spoilt_;    // by LinkIndex
  LinkTable table_;
  Step step_{};  // the last one
  std::unique_ptr<Air> air_;
  Listener listener_;
  NetworkAnswer answer_;
};

}  // namespace hilgate
