// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/fault/live/live_fault.h"
#include "tests/fault/peers/hostile_simulator.h"
#include "tests/fault/peers/stream_peer.h"
#include "tests/netns/simulator_rig.h"

namespace hilgate::test {

enum class Side : std::uint8_t { kPhysics, kNetsim };

/// A gateway between two simulators, of the native protocol unless asked for others, with a window each 10 ms, and
/// hostile peers on its sockets. Each fault comes after a quiet interval of the same run, and costs those simulators
/// that have nothing to do with it no windows: what both intervals cost is recorded, and compared with much room for
/// busy machines.
class PeerFault : public LiveFault {
 protected:
  static constexpr std::chrono::milliseconds kWindow{10};

  static void TearDownTestSuite();

  struct Between {
    std::string transport = "unix";  // or tcp
    std::string netsim_protocol = "native";
    std::string physics = {};                 // its section, where it is none of ours
    std::string netsim = ", answers: links";  // further keys of it; so frames never wait for it
    std::string further = {};                 // sections
    bool numbered = false;                    // robots are "0", "1", ... for physics
  };
  /// Starts the gateway of this suite of tests and its simulators unless they run.
  void start_between(const Between& between);
  /// The quiet interval, and begin().
  void begin_quietly();
  /// Checks the windows of these simulators, and all that conclude() checks.
  void conclude_windows(const FaultRow& row, const std::vector<Side>& untouched, const Allowance& allowance = {});

  [[nodiscard]] static std::string address(Side side);
  static std::string protocol(Side side) { return side == Side::kPhysics ? "native" : between_.netsim_protocol; }
  static const char* name(Side side) { return side == Side::kPhysics ? "physics" : "netsim"; }
  static Side other(Side side) { return side == Side::kPhysics ? Side::kNetsim : Side::kPhysics; }
  /// The simulator that belongs there, and goes on until it is stopped.
  static void start_simulator(Side side);
  static void stop_simulator(Side side);
  /// Until this simulator has ended windows, from now on; how long that took.
  static std::chrono::nanoseconds answered_again(Side side);

  /// Waits until the status or the log says this of the fault.
  void expect_told(const std::string& text) const;
  /// What a link to a simulator said last, as status has it.
  [[nodiscard]] static std::string last_event();
  [[nodiscard]] static nlohmann::ordered_json status_json();
  [[nodiscard]] static const NamedCounts& counts(const GatewayStatus& status, Side side) {
    return side == Side::kPhysics ? status.physics : status.netsim;
  }

 private:
  struct Windows {
    std::uint64_t all = 0;
    std::uint64_t missed = 0;
    [[nodiscard]] double percent() const {
      return all == 0 ? 0 : 100 * static_cast<double>(missed) / static_cast<double>(all);
    }
  };
  static Windows windows_between(const GatewayStatus& from, const GatewayStatus& to, const std::vector<Side>& sides);

  static std::unique_ptr<SimulatorSockets> sockets_;
  static std::unique_ptr<Process> physics_, netsim_;
  static Between between_;
  GatewayStatus quiet_begin_, fault_begin_;
  std::size_t logged_ = 0;  // bytes of the log before the fault
};

/// The same between simulators of the native protocol, over Unix sockets.
class NativePeerFault : public PeerFault {
 protected:
  void SetUp() override {
    GatewayTest::SetUp();
    if (!IsSkipped()) {
      start_between({});
      begin_quietly();
    }
  }
};

}  // namespace hilgate::test
