// SPDX-License-Identifier: Apache-2.0
// hilgate-ns3 as a child process, and this test as its gateway: windows are asked one by one, so that the same
// questions give the same answers on however busy a machine.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <asio/io_context.hpp>

#include "netsim_link/network_codec.h"
#include "netsim_link/network_simulator.h"
#include "physics_link/connection/remote_simulator.h"
#include "tests/loop.h"
#include "tests/support/process.h"

namespace hilgate::test {

/// 10.77.0.1 and so on, as the scenarios of these tests have them.
std::vector<std::uint32_t> rig_ips(std::size_t robots);
/// `robots:` of a scenario, without places.
std::string rig_robots(std::size_t robots);

class Ns3Rig {
 public:
  struct Setup {
    std::string scenario;  // what is not about robots
    std::size_t robots = 2;
    std::string protocol = "native";
    Nanoseconds window = std::chrono::milliseconds(1);
  };
  /// Returns when windows may be asked. Throws std::runtime_error with the program's output when it ends before.
  explicit Ns3Rig(Setup setup);

  /// Robots stand there from the next window on, all in sight of each other.
  void place(const std::vector<Vec3>& at);
  [[nodiscard]] Scene& scene() { return scene_; }
  void scene_changed() { fresh_ = true; }

  /// A frame for the next window, captured `offset` after its begin. Its number.
  std::uint64_t send(std::uint32_t from, std::optional<std::uint32_t> to, std::uint32_t bytes = 1000,
                     Nanoseconds offset = Nanoseconds{0}, std::uint8_t traffic_class = 0);
  /// Simulates a window; its verdicts are added to verdicts().
  void step();
  void steps(int windows);
  /// Windows until every frame is decided on, `most` at most. False: some are not.
  bool settle(int most = 2000);

  [[nodiscard]] const std::vector<Verdict>& verdicts() const { return verdicts_; }
  [[nodiscard]] std::size_t delivered(std::uint32_t to) const;
  [[nodiscard]] std::size_t lost(std::uint32_t to, AirDrop cause) const;
  [[nodiscard]] const CapturedPacket& packet(std::uint64_t id) const { return packets_.at(id); }
  [[nodiscard]] SimTime now() const { return SimTime{setup_.window * static_cast<std::int64_t>(window_)}; }
  [[nodiscard]] std::string output() const { return process_->output(); }
  [[nodiscard]] Process& process() { return *process_; }
  void close() { link_->close(); }

 private:
  [[nodiscard]] std::unique_ptr<NetworkCodec> codec() const;

  Setup setup_;
  TempDir folder_;
  asio::io_context io_{1};
  std::unique_ptr<RemoteSimulator<NetworkCodec>> link_;
  std::unique_ptr<Process> process_;
  Scene scene_;
  bool fresh_ = false;
  bool ready_ = false;
  bool ended_ = false;
  std::string failed_;
  std::uint64_t window_ = 0;
  std::vector<CapturedPacket> packets_;
  std::size_t asked_ = 0;  // of packets_
  std::size_t forgotten_ = 0;
  std::vector<Verdict> verdicts_;
};

/// Runs hilgate-ns3 with a scenario that it does not accept, to its end.
Finished refused(const std::string& scenario);

}  // namespace hilgate::test
