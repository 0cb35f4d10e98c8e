// SPDX-License-Identifier: Apache-2.0
// The simulator's end of each protocol, made from the command line.
#pragma once

#include <memory>

#include "gateway/commands/simulators/sim.h"
#include "netsim_link/connection/network_codec.h"
#include "physics_link/connection/frame_connection.h"
#include "physics_link/connection/physics_codec.h"

namespace hilgate {

/// Where the simulator finds its gateway. Throws std::runtime_error.
LinkOptions simulator_link(const SimOptions& options);
std::unique_ptr<PhysicsCodec> simulator_physics_codec(const SimOptions& options);
/// Throws std::runtime_error for invalid addresses.
std::unique_ptr<NetworkCodec> simulator_network_codec(const SimOptions& options);

/// Logs what was wrong with a run that is over; nothing when that is empty.
void log_shortcoming(const std::string& what);

/// 10.77.0.1 and up, the addresses of the first examples; host byte order, by RobotIndex.
std::vector<std::uint32_t> default_robot_ips(std::uint32_t robots);

}  // namespace hilgate
