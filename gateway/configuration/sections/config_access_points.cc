// SPDX-License-Identifier: Apache-2.0
// netsim: {access_points, distribution, roaming}, infrastructure mode.
#include <algorithm>

#include "config/plain_text.h"
#include "gateway/configuration/sections/config_checks.h"
#include "gateway/configuration/sections/config_sections.h"
#include "gateway/configuration/sections/robot_names.h"

namespace hilgate {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMostAccessPoints = 64;

void read_robot(YamlReader& entry, const Configuration& configuration, AccessPointConfig& config) {
  const auto name = entry.required<std::string>("robot");
  const auto place = radio_named(entry.child("robot"), name, configuration);
  if (!place) {
    return;
  }
  const RobotConfig& robot = configuration.robots[place->value()];
  config.robot = place;
  config.radio = robot.radio;
  config.antenna = robot.antenna;
  for (const char* key : {"position", "radio", "antenna"}) {
    if (entry.has(key)) {
      entry.fault(key, fmt::format("is already set by robot '{}'; remove it", shown(name)));
    }
  }
  if (robot.radio.empty()) {
    entry.fault("robot", fmt::format("'{}' has no radio, which an access point needs", shown(name)));
  }
}

void read_fixed(YamlReader& entry, const std::vector<std::string>& radios, const SceneConfig& scene,
                AccessPointConfig& config) {
  config.position = read_place(entry, "position", scene);
  config.antenna = read_antenna_mount(entry);
  config.radio = entry.required<std::string>("radio");
  if (!config.radio.empty() && std::find(radios.begin(), radios.end(), config.radio) == radios.end()) {
    entry.fault("radio", none_of(config.radio, "radio profile", radios));
  }
}

void check_names(YamlReader& entry, const AccessPointConfig& config, const Configuration& configuration,
                 const std::vector<AccessPointConfig>& before) {
  check_name(entry, config.name);
  if (std::ranges::find(configuration.robots, config.name, &RobotConfig::body) != configuration.robots.end()) {
    entry.fault("is also the name of a robot; choose another name");
  }
  for (const AccessPointConfig& other : before) {
    if (config.robot && config.robot == other.robot) {
      entry.fault("robot",
                  fmt::format("is already the access point '{}'; a robot can be one access point", other.name));
    }
  }
}

Roaming read_roaming(YamlReader& roaming) {
  constexpr Range<Decibels> kHysteresis{{0}, {100}, "0 dB to 100 dB"};
  constexpr Range<Dbm> kPower{{-200}, {100}, "-200 dBm to 100 dBm"};
  constexpr Range<Nanoseconds> kBreak{1ms, 60s, "1ms to 60s of simulated time"};
  constexpr Range<Nanoseconds> kBeacon{1ms, 10s, "1ms to 10s of simulated time"};
  constexpr Range<std::uint32_t> kMissed{1, 1000, "1 to 1000 beacons"};
  Roaming rules;
  rules.hysteresis = read_within(roaming, "hysteresis", kHysteresis).value_or(rules.hysteresis);
  rules.scan_below = read_within(roaming, "scan_below", kPower);
  rules.outage = read_within(roaming, "break", kBreak).value_or(rules.outage);
  rules.beacon = read_within(roaming, "beacon", kBeacon).value_or(rules.beacon);
  rules.missed = read_within(roaming, "missed", kMissed).value_or(rules.missed);
  return rules;
}

void check_wired(YamlReader& root, const Configuration& configuration, const AccessNetworkConfig& network) {
  for (const RobotConfig& robot : configuration.robots) {
    if (robot.wired && network.access_points.empty()) {
      radio_map(root, robot)
          .fault("wired", "needs `access_points` of the netsim `embedded`, which the robot is wired to");
    } else if (robot.wired && !robot.radio.empty()) {
      radio_map(root, robot).fault("wired", "excludes a radio; remove 'wired' or 'radio'");
    }
  }
}

}  // namespace

void read_access_points(YamlReader& root, const KnownNames& known, Configuration& configuration) {
  AccessNetworkConfig network;
  if (std::holds_alternative<EmbeddedConfig>(configuration.netsim) && root.has("netsim")) {
    YamlReader netsim = root.child("netsim");
    const std::vector<std::string> radios = known.radios(configuration.profile_paths);
    auto entries = netsim.entries("access_points");
    if (entries.size() > kMostAccessPoints) {
      netsim.fault("access_points",
                   fmt::format("has {} access points; the maximum is {}", entries.size(), kMostAccessPoints));
    }
    for (auto& [name, entry] : entries) {
      AccessPointConfig config;
      config.name = name;
      entry.has("robot") ? read_robot(entry, configuration, config)
                         : read_fixed(entry, radios, configuration.world.scene, config);
      config.channel = entry.optional<std::string>("channel", "1");
      check_names(entry, config, configuration, network.access_points);
      network.access_points.push_back(std::move(config));
    }
    if (auto distribution = netsim.optional_child("distribution")) {
      constexpr Range<Nanoseconds> kDelay{0s, 1h, "0s to 1h"};
      network.delay = read_within(*distribution, "delay", kDelay).value_or(network.delay);
    }
    if (auto roaming = netsim.optional_child("roaming")) {
      network.roaming = read_roaming(*roaming);
    }
    std::get<EmbeddedConfig>(configuration.netsim).network = network;
  }
  check_wired(root, configuration, network);
}

}  // namespace hilgate
