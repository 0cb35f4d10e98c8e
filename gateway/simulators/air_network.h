// SPDX-License-Identifier: Apache-2.0
// Our radios as the network simulator of somebody else's coordinator: its packets go the way of the gateway's own
// frames, through queues, media, tries and impairments, in simulated time.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "clock/time.h"
#include "gateway/configuration/configuration.h"
#include "gateway/path/path_settings.h"
#include "netsim_link/netsim.h"
#include "netsim_link/network_simulator.h"

namespace hilgate {

/// The path of a gateway that runs in simulated time, without pace. Requires a configuration with the dilation of real
/// time, and its air.
PathSettings served_path(const Configuration& configuration, const AirPlan& air);

/// Passes verdicts packet by packet. A packet enters the air one window behind its capture, where that is known, so
/// that packets keep their distances, else at the beginning of the step that tells of it. Where the radio has no check
/// sequence, a verdict has the link's bit error rate, at which the coordinator flips the bits. Control thread.
class AirNetwork final : public NetworkSimulator {
 public:
  /// `settings`: as of served_path(), each robot with a MAC address and a port of its own. `robots`: those of scenes;
  /// access points are behind them. The netsim must outlive this.
  AirNetwork(const PathSettings& settings, std::uint32_t robots, Netsim& netsim);
  ~AirNetwork() override;

  void open(Listener listener) override;
  /// A step that begins before the last one is another coordinator's: it finds the air empty.
  void begin(const NetworkQuestion& question) override;
  void close() override {}

 private:
  struct Air;

  void take_scene(const Scene& scene);
  void enter(const CapturedPacket& packet, const Step& step);
  void run_until(HostTime end);
  void iterate();
  void pass_verdicts(std::size_t drop_reason);
  void receive(std::uint64_t packet, RobotIndex from, RobotIndex to, bool group);
  [[nodiscard]] double bit_error_rate(RobotIndex from, RobotIndex to, bool group) const;

  PathSettings settings_;
  std::uint32_t robots_;
  Netsim& netsim_;
  std::vector<BitHazard> spoils_;  // by LinkIndex: what the configuration adds where errors reach the receiver
  std::vector<bool> is_spoilt_;    // by LinkIndex
  LinkTable table_;
  SimTime from_{};  // of the last step
  std::unique_ptr<Air> air_;
  Listener listener_;
  NetworkAnswer answer_;
};

}  // namespace hilgate
