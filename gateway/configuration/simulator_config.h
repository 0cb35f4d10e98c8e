// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/ts/netfwd.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clock/time.h"
#include "host/run_folder.h"
#include "physics_link/connection/endpoint.h"
#include "physics_link/dancers/dancers_protocol.h"
#include "physics_link/physics_simulator.h"

namespace hilgate {

/// What a simulator at the other end of a socket speaks.
enum class SimulatorProtocol : std::uint8_t { kNative, kRosNetSim, kDancers };

}  // namespace hilgate

// Settings of simulators that are separate programs.

namespace hilgate {

/// A simulator that advances step by step on request.
struct SimulatorConfig {
  SimulatorProtocol protocol = SimulatorProtocol::kNative;
  Endpoint address{};
  std::optional<bool> listen{};                     // absent: as the protocol has it
  Nanoseconds step{0};                              // divides the window; 0: the whole window
  Nanoseconds patience = std::chrono::seconds(60);  // for it to appear, or to appear again; 0: for ever
  Nanoseconds timeout = std::chrono::seconds(10);   // silent so long while it owes an answer, it hangs; 0: never
  dancers::Version dancers = dancers::Version::kV1;
  bool sight_from_los_field = false;  // physics rosnetsim: believe `los` instead of counting hops
};

/// An external network simulator.
struct ExternalNetsimConfig {
  SimulatorConfig simulator{};
  bool by_packet = true;    // it passes verdicts on packets; otherwise links are as it last reported, or as wires
  bool compat = false;      // rosnetsim: its reference's bit errors, expiry after 50 windows, no look at time_val
  bool extensions = false;  // rosnetsim: times in nanoseconds on the wire
  bool resolution_around = false;  // packet verdicts: ARP and neighbour discovery pass without; rosnetsim's default
  Nanoseconds expiry = std::chrono::seconds(1);  // of sim time: a packet without verdict is given up
};

/// Positions that come when their sender likes: `make` has what the source's reader has read.
struct FeedConfig {
  std::vector<std::string> sockets{};  // where they come from; none for files
  bool has_clock = false;              // the sender reports its own time, which pace follow may track
  /// `robots`: their names in physics. Throws std::runtime_error for sockets that cannot be had.
  std::function<std::unique_ptr<PhysicsSimulator>(asio::io_context& context, const std::vector<std::string>& robots)>
      make{};
};

}  // namespace hilgate

// The default sockets of a run's simulators and position feeds, with every protocol.

namespace hilgate {

inline constexpr std::string_view kPhysicsSocket = "physics.sock";
inline constexpr std::string_view kNetworkSocket = "netsim.sock";
inline constexpr std::string_view kCornetClockSocket = "cornet_clock.sock";
inline constexpr std::string_view kCornetPositionsSocket = "cornet_positions.sock";
inline constexpr std::string_view kRos2Socket = "ros2.sock";

/// The path of one of these for the run `name`.
inline std::string run_socket(std::string_view name, std::string_view socket, RunSide side) {
  return (run_folder(name, side) / socket).string();
}

}  // namespace hilgate
