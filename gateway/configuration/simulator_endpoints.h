// SPDX-License-Identifier: Apache-2.0
// The default sockets of a run's simulators and position feeds, with every protocol.
#pragma once

#include <string>
#include <string_view>

#include "host/run_folder.h"
#include "physics_link/connection/endpoint.h"

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
