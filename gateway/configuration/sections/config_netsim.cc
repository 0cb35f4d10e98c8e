// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <memory>

#include "gateway/configuration/sections/config_checks.h"
#include "gateway/configuration/sections/config_sections.h"
#include "gateway/configuration/simulator_config.h"
#include "netsim_link/wire_netsim.h"

namespace hilgate {
namespace {

using namespace std::chrono_literals;

SimulatorConfig read_network_end(YamlReader& netsim, SimulatorProtocol protocol, const Configuration& configuration) {
  return read_simulator(netsim, protocol, run_socket(configuration.name, kNetworkSocket, RunSide::kGateway),
                        configuration.window);
}

void read_packet_expiry(YamlReader& netsim, ExternalNetsimConfig& config) {
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
  constexpr Range<std::uint32_t> kThreads{1, 64, "1 to 64"};
  EmbeddedConfig config;
  config.threads = read_within(netsim, "threads", kThreads);
  const auto map = netsim.optional<std::string>("map");
  if (!map || *map == "none") {
    return config;
  }
  config.map = netsim.file_named(*map);
  if (!std::filesystem::is_regular_file(*config.map)) {
    netsim.fault("map", fmt::format("'{}' is not a file; name a grid map that `hilgate survey` has processed",
                                    config.map->string()));
  }
  return config;
}

void read_recorded_air(YamlReader& netsim, Configuration& configuration) {
  if (external_netsim(configuration) != nullptr) {
    return;  // a record does not replace a simulator that reports link states
  }
  const auto record = netsim.optional<std::string>("record");
  if (!record || *record == "none") {
    return;
  }
  configuration.recorded_air = netsim.file_named(*record);
  if (!std::filesystem::exists(*configuration.recorded_air)) {
    netsim.fault("record", fmt::format("'{}' is not there; name the folder of a run that was recorded",
                                       configuration.recorded_air->string()));
  }
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

constexpr std::size_t kMostJammers = 64;

Jammer read_jammer(YamlReader& entry, const SceneConfig& scene) {
  constexpr Range<Dbm> kPower{{-100}, {100}, "-100 dBm to 100 dBm"};
  constexpr Range<Hertz> kFrequency{{1e6}, {300e9}, "1 MHz to 300 GHz"};
  constexpr Range<Hertz> kBandwidth{{1}, {300e9}, "1 Hz to 300 GHz"};
  constexpr Range<Probability> kDuty{{1e-6}, {1}, "0.0001 % to 100 %"};
  constexpr Range<Nanoseconds> kPeriod{1us, 1h, "1us to 1h of simulated time"};
  Jammer jammer{.position = read_place(entry, "position", scene)};
  jammer.power = require_within(entry, "power", kPower).value_or(jammer.power);
  jammer.frequency = require_within(entry, "frequency", kFrequency).value_or(kFrequency.low);
  jammer.bandwidth = require_within(entry, "bandwidth", kBandwidth).value_or(kBandwidth.low);
  if (entry.has("duty") != entry.has("period")) {
    entry.fault("gives one of `duty` and `period`; a jammer that comes and goes needs both");
  }
  jammer.duty = read_within(entry, "duty", kDuty).value_or(Probability{1}).value;
  jammer.period = read_within(entry, "period", kPeriod).value_or(jammer.period);
  return jammer;
}

}  // namespace

void read_netsim(YamlReader& root, Configuration& configuration) {
  YamlReader netsim = root.child("netsim");
  if (!netsim.absent()) {
    const std::size_t type = netsim.choice<std::size_t>("type", types_of(kNetsims));
    configuration.netsim = kNetsims[type].read(netsim, configuration);
    read_recorded_air(netsim, configuration);
  }
}

void read_jammers(YamlReader& root, Configuration& configuration) {
  auto entries = root.entries("jammers");
  if (!entries.empty() && !std::holds_alternative<EmbeddedConfig>(configuration.netsim)) {
    root.fault("jammers", "are heard by radios of the netsim embedded alone");
  }
  if (entries.size() > kMostJammers) {
    root.fault("jammers", fmt::format("has {} jammers; the maximum is {}", entries.size(), kMostJammers));
  }
  for (auto& [name, entry] : entries) {
    check_name(entry, name);
    configuration.jammers.push_back({name, read_jammer(entry, configuration.world.scene)});
  }
}

}  // namespace hilgate
