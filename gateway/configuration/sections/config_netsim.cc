// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "config/plain_text.h"
#include "gateway/configuration/sections/config_checks.h"
#include "gateway/configuration/sections/config_sections.h"
#include "gateway/configuration/sections/robot_names.h"
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

ExternalNetsimConfig read_native_network(YamlReader& netsim, const Configuration& configuration) {
  ExternalNetsimConfig config;
  config.simulator = read_network_end(netsim, SimulatorProtocol::kNative, configuration);
  config.by_packet = netsim.choice<bool>("answers", {{"packets", true}, {"links", false}}, true);
  if (config.by_packet) {
    read_packet_expiry(netsim, config);
    read_address_resolution(netsim, false, config);
  }
  return config;
}

ExternalNetsimConfig read_rosnetsim_network(YamlReader& netsim, const Configuration& configuration) {
  ExternalNetsimConfig config;
  config.simulator = read_network_end(netsim, SimulatorProtocol::kRosNetSim, configuration);
  config.compat = netsim.optional<bool>("compat", false);
  config.extensions = netsim.optional<bool>("extensions", false);
  read_packet_expiry(netsim, config);
  read_address_resolution(netsim, true, config);
  return config;
}

ExternalNetsimConfig read_dancers_network(YamlReader& netsim, const Configuration& configuration) {
  return {.simulator = read_network_end(netsim, SimulatorProtocol::kDancers, configuration), .by_packet = false};
}

// Those that judge packets: link states are the radios'.
std::optional<JudgedRobots> read_judged(YamlReader& netsim, const Configuration& configuration) {
  auto simulator = netsim.optional_child("simulator");
  if (!simulator) {
    return std::nullopt;
  }
  const bool native = simulator->choice<bool>("type", {{"native", true}, {"rosnetsim", false}});
  JudgedRobots judged{.netsim = native ? read_native_network(*simulator, configuration)
                                       : read_rosnetsim_network(*simulator, configuration)};
  if (!judged.netsim.by_packet) {
    simulator->fault("answers",
                     "is 'links', which the embedded radios decide; a simulator next to them judges packets");
  }
  return judged;
}

NetsimConfig read_wire(YamlReader&, const Configuration&) {
  return LocalNetsimConfig{.make = [](std::size_t robots) { return std::make_unique<WireNetsim>(robots); }};
}

NetsimConfig read_embedded(YamlReader& netsim, const Configuration& configuration) {
  constexpr Range<std::uint32_t> kThreads{1, 64, "1 to 64"};
  EmbeddedConfig config;
  config.threads = read_within(netsim, "threads", kThreads);
  config.judged = read_judged(netsim, configuration);
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
template <auto kRead>
NetsimConfig read_external(YamlReader& netsim, const Configuration& configuration) {
  return kRead(netsim, configuration);
}
constexpr std::array kNetsims = {
    NetsimType{"embedded", read_embedded},
    NetsimType{"wire", read_wire},
    NetsimType{"native", read_external<read_native_network>},
    NetsimType{"rosnetsim", read_external<read_rosnetsim_network>},
    NetsimType{"dancers", read_external<read_dancers_network>},
    NetsimType{"trace", read_wire},  // its links: config_traces.cc
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

namespace {

// What keeps a simulator from judging a robot's packets; empty: nothing.
std::string why_not_judged(const Configuration& configuration, const RobotConfig& robot) {
  if (!robot.radio.empty()) {
    return fmt::format("the radio '{}'", robot.radio);
  }
  if (robot.wired) {
    return "a cable";
  }
  return is_line(configuration.ports[robot.port.value()].driver) ? "a serial line, whose packets have no addresses"
                                                                 : "";
}

bool has_trace_between(const EmbeddedConfig& embedded, std::size_t robots) {
  const auto& judged = embedded.judged->robots;
  return !embedded.measured.empty() && std::ranges::any_of(judged, [&](RobotIndex from) {
    return std::ranges::any_of(
        judged, [&](RobotIndex to) { return embedded.measured[link_of(from, to, robots).value()] != nullptr; });
  });
}

}  // namespace

void read_judged_robots(YamlReader& root, Configuration& configuration) {
  auto* const embedded = std::get_if<EmbeddedConfig>(&configuration.netsim);
  if (embedded == nullptr || !embedded->judged) {
    return;
  }
  YamlReader simulator = root.child("netsim").child("simulator");
  if (!simulator.has("robots")) {
    simulator.fault("has no 'robots'; name those whose packets to each other it judges");
  }
  for (YamlReader& item : simulator.items("robots")) {
    for (const RobotIndex robot : radios_named(item, item.as<std::string>(), "robot", configuration)) {
      const RobotConfig& config = configuration.robots[robot.value()];
      if (const std::string why = why_not_judged(configuration, config); !why.empty()) {
        item.fault(
            fmt::format("'{}' has {}; the simulator judges packets of robots, or of one of a robot's `radios`, "
                        "without the keys `radio` and `wired`",
                        shown(config.name), why));
      } else if (std::ranges::find(embedded->judged->robots, robot) == embedded->judged->robots.end()) {
        embedded->judged->robots.push_back(robot);
      }
    }
  }
  if (embedded->judged->robots.size() == 1) {
    simulator.fault("robots", "names one robot, and the simulator judges packets between two of them; name another");
  }
  const auto refuse = [&](bool wrong, const char* what) {
    if (wrong) {
      simulator.fault(fmt::format("cannot be used with {}; remove one of the two", what));
    }
  };
  refuse(has_trace_between(*embedded, configuration.robots.size()), "`traces` of the same links");
  refuse(!embedded->network.access_points.empty(), "`access_points`, which join robots without a radio by cables");
  refuse(configuration.pace == Pace::kLockstep, "`pace: lockstep`, in which embedded radios are simulated as well");
  refuse(configuration.site.has_value(), "a `site`");
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
