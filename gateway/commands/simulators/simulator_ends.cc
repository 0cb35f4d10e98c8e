// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/simulators/simulator_ends.h"

#include <arpa/inet.h>

#include <stdexcept>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "gateway/configuration/simulator_config.h"
#include "netsim_link/dancers/dancers_network_codec.h"
#include "netsim_link/native/native_network_codec.h"
#include "netsim_link/rosnetsim/rosnetsim_network_codec.h"
#include "physics_link/dancers/dancers_physics_codec.h"
#include "physics_link/native/native_physics_codec.h"
#include "physics_link/rosnetsim/rosnetsim_physics_codec.h"

namespace hilgate {
namespace {

std::uint32_t parse_ip(const std::string& text) {
  in_addr address{};
  if (inet_pton(AF_INET, text.c_str(), &address) != 1) {
    throw std::runtime_error(fmt::format("'{}' is not an IPv4 address; example: 10.77.0.1", text));
  }
  return ntohl(address.s_addr);
}

std::vector<std::uint32_t> robot_ips(const SimOptions& options) {
  if (options.ips.empty()) {
    return default_robot_ips(options.robots);
  }
  std::vector<std::uint32_t> ips;
  for (const std::string& text : options.ips) {
    ips.push_back(parse_ip(text));
  }
  return ips;
}

NativeOptions native_options(const SimOptions& options) {
  const native::Role role = options.kind == SimKind::kPhysics ? native::Role::kPhysics : native::Role::kNetwork;
  return {.hello = {.role = role, .name = "hilgate sim"}, .peer = native::Role::kGateway};
}

Endpoint endpoint_of(const SimOptions& options, std::string_view usual) {
  if (!options.socket.empty()) {
    return Endpoint::parse(options.socket);
  }
  const std::string run = options.run.empty() ? only_run() : options.run;
  return {.is_unix = true, .path = run_socket(run, usual, RunSide::kSimulator)};
}

DancersOptions dancers_options(const SimOptions& options) {
  return {.robots = options.robots, .version = options.dancers, .step = options.window};
}

}  // namespace

std::vector<std::uint32_t> default_robot_ips(std::uint32_t robots) {
  std::vector<std::uint32_t> ips;
  for (std::uint32_t i = 0; i < robots; ++i) {
    ips.push_back(0x0A4D0001 + i);
  }
  return ips;
}

LinkOptions simulator_link(const SimOptions& options) {
  const bool physics = options.kind == SimKind::kPhysics;
  const bool listens = options.protocol == SimulatorProtocol::kRosNetSim ||
                       (options.protocol == SimulatorProtocol::kDancers && options.dancers != dancers::Version::kV1);
  const bool listen = options.listen.value_or(listens);
  return {.name = physics ? "physics simulator" : "network simulator",
          .endpoint = endpoint_of(options, physics ? kPhysicsSocket : kNetworkSocket),
          .role = listen ? ConnectionRole::kListen : ConnectionRole::kConnect};
}

std::unique_ptr<PhysicsCodec> simulator_physics_codec(const SimOptions& options) {
  switch (options.protocol) {
    case SimulatorProtocol::kRosNetSim:
      return std::make_unique<RosNetSimPhysicsCodec>(
          RosNetSimPhysicsOptions{.robots = options.robots, .window = options.window});
    case SimulatorProtocol::kDancers:
      return std::make_unique<DancersPhysicsCodec>(dancers_options(options));
    case SimulatorProtocol::kNative:
      break;
  }
  return std::make_unique<NativePhysicsCodec>(native_options(options));
}

std::unique_ptr<NetworkCodec> simulator_network_codec(const SimOptions& options) {
  switch (options.protocol) {
    case SimulatorProtocol::kRosNetSim:
      return std::make_unique<RosNetSimNetworkCodec>(
          RosNetSimNetworkOptions{.robot_ips = robot_ips(options),
                                  .extensions = true,
                                  .window = options.window,
                                  .listing = options.whole_delays ? Listing::kNotEarly : Listing::kInStep});
    case SimulatorProtocol::kDancers:
      return std::make_unique<DancersNetworkCodec>(dancers_options(options));
    case SimulatorProtocol::kNative:
      break;
  }
  return std::make_unique<NativeNetworkCodec>(native_options(options));
}

void log_shortcoming(const std::string& what) {
  if (!what.empty()) {
    spdlog::warn("{}", what);
  }
}

}  // namespace hilgate
