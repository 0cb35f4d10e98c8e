// SPDX-License-Identifier: Apache-2.0
// The gateway's end of each protocol.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gateway/configuration/simulator_config.h"
#include "netsim_link/network_codec.h"
#include "physics_link/connection/physics_codec.h"
#include "physics_link/connection/remote_simulator.h"
#include "physics_link/dancers/dancers_protocol.h"

namespace hilgate {

struct GatewayEnd {
  SimulatorProtocol protocol = SimulatorProtocol::kNative;
  std::vector<std::string> robots{};       // names, by RobotIndex
  std::vector<std::uint32_t> robot_ips{};  // by RobotIndex, host byte order; rosnetsim's network link needs them
  Nanoseconds step{0};
  StepLinkOptions link{};                // its role is set by the protocol unless `role` is present
  std::optional<ConnectionRole> role{};  // absent: as the protocol's reference has it
  dancers::Version dancers = dancers::Version::kV1;
  bool compat = false;                // rosnetsim: never look at time_val, as the reference does
  bool extensions = false;            // rosnetsim: times in nanoseconds, fields 100 and 101
  bool sight_from_los_field = false;  // rosnetsim: believe `los`, as the reference dummy means it
};

/// Throw std::runtime_error, as FrameConnection does.
std::unique_ptr<RemoteSimulator<PhysicsCodec>> make_remote_physics(asio::io_context& io, const GatewayEnd& end,
                                                                   ConnectionReporter reporter);
std::unique_ptr<RemoteSimulator<NetworkCodec>> make_remote_network(asio::io_context& io, const GatewayEnd& end,
                                                                   ConnectionReporter reporter);

}  // namespace hilgate
