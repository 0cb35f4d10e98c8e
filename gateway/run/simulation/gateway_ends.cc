// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/simulation/gateway_ends.h"

#include "netsim_link/dancers/dancers_network_codec.h"
#include "netsim_link/native/native_network_codec.h"
#include "netsim_link/rosnetsim/rosnetsim_network_codec.h"
#include "physics_link/dancers/dancers_physics_codec.h"
#include "physics_link/native/native_physics_codec.h"
#include "physics_link/rosnetsim/rosnetsim_physics_codec.h"

namespace hilgate {
namespace {

using rosnetsim::SightRule;

// ROS-NetSim's coordinator is the client of both simulators, and DANCERS' was before 1.0; then and we are the server.
StepLinkOptions link_options(const GatewayEnd& end) {
  StepLinkOptions options = end.link;
  const bool connects = end.protocol == SimulatorProtocol::kRosNetSim ||
                        (end.protocol == SimulatorProtocol::kDancers && end.dancers != dancers::Version::kV1);
  options.link.role = end.role.value_or(connects ? ConnectionRole::kConnect : ConnectionRole::kListen);
  return options;
}

SightRule sight_rule(const GatewayEnd& end) {
  return end.sight_from_los_field ? SightRule::kLosField : SightRule::kTwoHops;
}

DancersOptions dancers_options(const GatewayEnd& end) {
  return {.robots = end.robots.size(), .version = end.dancers};
}

NativeOptions native_options(const GatewayEnd& end, native::Role peer) {
  return {.hello = {.role = native::Role::kGateway, .name = "hilgate", .step = end.step, .robots = end.robots},
          .peer = peer};
}

std::unique_ptr<PhysicsCodec> physics_codec(const GatewayEnd& end) {
  switch (end.protocol) {
    case SimulatorProtocol::kRosNetSim:
      return std::make_unique<RosNetSimPhysicsCodec>(
          RosNetSimPhysicsOptions{.robots = end.robots.size(), .sight = sight_rule(end), .check_window = !end.compat});
    case SimulatorProtocol::kDancers:
      return std::make_unique<DancersPhysicsCodec>(dancers_options(end));
    case SimulatorProtocol::kNative:
      break;
  }
  return std::make_unique<NativePhysicsCodec>(native_options(end, native::Role::kPhysics));
}

std::unique_ptr<NetworkCodec> network_codec(const GatewayEnd& end) {
  switch (end.protocol) {
    case SimulatorProtocol::kRosNetSim:
      return std::make_unique<RosNetSimNetworkCodec>(RosNetSimNetworkOptions{.robot_ips = end.robot_ips,
                                                                             .sight = sight_rule(end),
                                                                             .check_window = !end.compat,
                                                                             .extensions = end.extensions});
    case SimulatorProtocol::kDancers:
      return std::make_unique<DancersNetworkCodec>(dancers_options(end));
    case SimulatorProtocol::kNative:
      break;
  }
  return std::make_unique<NativeNetworkCodec>(native_options(end, native::Role::kNetwork));
}

}  // namespace

std::unique_ptr<RemoteSimulator<PhysicsCodec>> make_remote_physics(asio::io_context& io, const GatewayEnd& end,
                                                                   ConnectionReporter reporter) {
  return std::make_unique<RemoteSimulator<PhysicsCodec>>(io, link_options(end), physics_codec(end),
                                                         std::move(reporter));
}

std::unique_ptr<RemoteSimulator<NetworkCodec>> make_remote_network(asio::io_context& io, const GatewayEnd& end,
                                                                   ConnectionReporter reporter) {
  return std::make_unique<RemoteSimulator<NetworkCodec>>(io, link_options(end), network_codec(end),
                                                         std::move(reporter));
}

}  // namespace hilgate
