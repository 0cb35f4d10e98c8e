// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "gateway/configuration/sections/config_checks.h"
#include "gateway/configuration/sections/config_sections.h"
#include "gateway/configuration/simulator_endpoints.h"

namespace hilgate {
namespace {

enum class NetsimType { kEmbedded, kWire, kNative, kRosNetSim, kDancers };

void read_packet_expiry(YamlReader& netsim, ExternalNetsimConfig& config) {
  using namespace std::chrono_literals;
  constexpr Range<Nanoseconds> kExpiry{1ms, 1h, "1ms to 1h of simulated time"};
  if (config.compat && netsim.has("expiry")) {
    netsim.fault("expiry", "is 50 windows with `compat: true`; remove one of the two");
    return;
  }
  config.expiry = read_within(netsim, "expiry", kExpiry).value_or(config.expiry);
}

ExternalNetsimConfig read_native(YamlReader& netsim, const std::string& socket, Nanoseconds window) {
  ExternalNetsimConfig config;
  config.simulator = read_simulator(netsim, SimulatorProtocol::kNative, socket, window);
  config.by_packet = netsim.choice<bool>("answers", {{"packets", true}, {"links", false}}, true);
  if (config.by_packet) {
    read_packet_expiry(netsim, config);
  }
  return config;
}

ExternalNetsimConfig read_rosnetsim_network(YamlReader& netsim, const std::string& socket, Nanoseconds window) {
  ExternalNetsimConfig config;
  config.simulator = read_simulator(netsim, SimulatorProtocol::kRosNetSim, socket, window);
  config.compat = netsim.optional<bool>("compat", false);
  config.extensions = netsim.optional<bool>("extensions", false);
  read_packet_expiry(netsim, config);
  return config;
}

ExternalNetsimConfig read_dancers(YamlReader& netsim, const std::string& socket, Nanoseconds window) {
  return {.simulator = read_simulator(netsim, SimulatorProtocol::kDancers, socket, window), .by_packet = false};
}

EmbeddedConfig read_embedded(YamlReader& netsim) {
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

}  // namespace

void read_netsim(YamlReader& root, Configuration& configuration) {
  YamlReader netsim = root.child("netsim");
  if (netsim.absent()) {
    return;
  }
  const std::string socket = run_socket(configuration.name, kNetworkSocket, RunSide::kGateway);
  switch (netsim.choice<NetsimType>("type", {{"embedded", NetsimType::kEmbedded},
                                             {"wire", NetsimType::kWire},
                                             {"native", NetsimType::kNative},
                                             {"rosnetsim", NetsimType::kRosNetSim},
                                             {"dancers", NetsimType::kDancers}})) {
    case NetsimType::kEmbedded:
      configuration.netsim = read_embedded(netsim);
      break;
    case NetsimType::kWire:
      configuration.netsim = WireConfig{};
      break;
    case NetsimType::kNative:
      configuration.netsim = read_native(netsim, socket, configuration.window);
      break;
    case NetsimType::kRosNetSim:
      configuration.netsim = read_rosnetsim_network(netsim, socket, configuration.window);
      break;
    case NetsimType::kDancers:
      configuration.netsim = read_dancers(netsim, socket, configuration.window);
      break;
  }
}

}  // namespace hilgate
