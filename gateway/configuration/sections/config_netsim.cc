// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <memory>

#include "gateway/configuration/sections/config_checks.h"
#include "gateway/configuration/sections/config_sections.h"
#include "gateway/configuration/simulator_endpoints.h"
#include "netsim_link/wire_netsim.h"

namespace hilgate {
namespace {

SimulatorConfig read_network_end(YamlReader& netsim, SimulatorProtocol protocol, const Configuration& configuration) {
  return read_simulator(netsim, protocol, run_socket(configuration.name, kNetworkSocket, RunSide::kGateway),
                        configuration.window);
}

void read_packet_expiry(YamlReader& netsim, ExternalNetsimConfig& config) {
  using namespace std::chrono_literals;
  constexpr Range<Nanoseconds> kExpiry{1ms, 1h, "1ms to 1h of simulated time"};
  if (config.compat && netsim.has("expiry")) {
    netsim.fault("expiry", "is 50 windows with `compat: true`; remove one of the two");
    return;
  }
  config.expiry = read_within(netsim, "expiry", kExpiry).value_or(config.expiry);
}

// ROS-NetSim's simulators know IPv4 alone.
void read_address_resolution(YamlReader& netsim, bool usual, ExternalNetsimConfig& config) {
  config.resolution_around = netsim.choice<bool>("address_resolution", {{"around", true}, {"judged", false}}, usual);
}

NetsimConfig read_native_network(YamlReader& netsim, const Configuration& configuration) {
  ExternalNetsimConfig config;
  config.simulator = read_network_end(netsim, SimulatorProtocol::kNative, configuration);
  config.by_packet = netsim.choice<bool>("answers", {{"packets", true}, {"links", false}}, true);
  if (config.by_packet) {
    read_packet_expiry(netsim, config);
    read_address_resolution(netsim, false, config);
  }
  return config;
}

NetsimConfig read_rosnetsim_network(YamlReader& netsim, const Configuration& configuration) {
  ExternalNetsimConfig config;
  config.simulator = read_network_end(netsim, SimulatorProtocol::kRosNetSim, configuration);
  config.compat = netsim.optional<bool>("compat", false);
  config.extensions = netsim.optional<bool>("extensions", false);
  read_packet_expiry(netsim, config);
  read_address_resolution(netsim, true, config);
  return config;
}

NetsimConfig read_dancers_network(YamlReader& netsim, const Configuration& configuration) {
  return ExternalNetsimConfig{.simulator = read_network_end(netsim, SimulatorProtocol::kDancers, configuration),
                              .by_packet = false};
}

NetsimConfig read_wire(YamlReader&, const Configuration&) {
  return LocalNetsimConfig{.make = [](std::size_t robots) { return std::make_unique<WireNetsim>(robots); }};
}

NetsimConfig read_embedded(YamlReader& netsim, const Configuration&) {
  EmbeddedConfig config;
  const auto map = netsim.optional<std::string>("map");
  if (!map || *map == "none") {
    return config;
  }
  config.map = std::filesystem::path(netsim.file()).parent_path() / *map;
  if (!std::filesystem::is_regular_file(*config.map)) {
    netsim.fault("map", fmt::format("'{}' is not a file; name a grid map that `hilgate survey` has processed",
                                    config.map->string()));
  }
  return config;
}

struct NetsimType {
  const char* name;
  NetsimConfig (*read)(YamlReader& netsim, const Configuration& configuration);
};
constexpr std::array kNetsims = {
    NetsimType{"embedded", read_embedded},       NetsimType{"wire", read_wire},
    NetsimType{"native", read_native_network},   NetsimType{"rosnetsim", read_rosnetsim_network},
    NetsimType{"dancers", read_dancers_network}, NetsimType{"trace", read_wire},  // its links: config_traces.cc
};

}  // namespace

void read_netsim(YamlReader& root, Configuration& configuration) {
  YamlReader netsim = root.child("netsim");
  if (!netsim.absent()) {
    const std::size_t type = netsim.choice<std::size_t>("type", types_of(kNetsims));
    configuration.netsim = kNetsims[type].read(netsim, configuration);
  }
}

}  // namespace hilgate
