// SPDX-License-Identifier: Apache-2.0
// The sockets that reference simulators and coordinators use by default, and ours.
#pragma once

#include <string_view>

namespace hilgate {

inline constexpr std::string_view kReferencePhysicsSocket = "unix:/tmp/phy_server_socket";
inline constexpr std::string_view kReferenceNetworkSocket = "unix:/tmp/net_server_socket";
inline constexpr std::string_view kNativePhysicsSocket = "unix:/tmp/hilgate-physics.sock";
inline constexpr std::string_view kNativeNetworkSocket = "unix:/tmp/hilgate-netsim.sock";

}  // namespace hilgate
