// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "config/plain_text.h"
#include "gateway/configuration/sections/config_checks.h"
#include "gateway/configuration/sections/config_impairments.h"
#include "gateway/configuration/sections/config_sections.h"

namespace hilgate {
namespace {

constexpr std::size_t kMaxRobots = 1024;  // radios; links are ordered pairs: a million of them
/// Of one radio, and of a robot whatever radios it carries.
constexpr std::array kRadioKeys = {"port",    "vlan",         "mac",       "ip",   "radio", "wired",
                                   "antenna", "radio_status", "rssi_feed", "gnss", "dlep"};
constexpr std::array kRobotKeys = {"id", "system_id", "positions_from"};
constexpr Range<VlanId> kVlans{1, kMaxVlanId, "1 to 4094"};

/// Faults for addresses that another robot, or this one, already has.
template <class Address>
void check_unique(YamlReader& robot, std::string_view key, const RobotConfig& config,
                  const std::vector<RobotConfig>& before, std::vector<Address> RobotConfig::*addresses) {
  const std::vector<Address>& own = config.*addresses;
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (std::find(own.begin(), own.begin() + static_cast<std::ptrdiff_t>(i), own[i]) !=
        own.begin() + static_cast<std::ptrdiff_t>(i)) {
      robot.fault(key, fmt::format("'{}' is given twice", own[i].text()));
    }
    for (const RobotConfig& other : before) {
      const std::vector<Address>& theirs = other.*addresses;
      if (std::find(theirs.begin(), theirs.end(), own[i]) != theirs.end()) {
        robot.fault(
            key, fmt::format("'{}' already belongs to robot '{}' in line {}", own[i].text(), other.name, other.line));
      }
    }
  }
}

/// "02:68:67:00:00:0a", or {address: 02:68:67:00:00:0a, shared: true}.
void read_mac(YamlReader& mac, RobotConfig& config) {
  const auto address = mac.is_map() ? mac.required<MacAddress>("address") : mac.as<MacAddress>();
  const bool shared = mac.is_map() && mac.optional<bool>("shared", false);
  if (address == MacAddress{}) {
    return;  // what could not be read
  }
  config.macs.push_back(address);
  if (shared) {
    config.shared_macs.push_back(address);
  }
}

void read_macs(YamlReader& robot, RobotConfig& config) {
  auto mac = robot.optional_child("mac");
  if (!mac) {
    return;
  }
  if (!mac->is_sequence()) {
    return read_mac(*mac, config);
  }
  for (YamlReader& item : mac->items()) {
    read_mac(item, config);
  }
}

bool shares(const RobotConfig& robot, MacAddress mac) {
  return std::ranges::find(robot.shared_macs, mac) != robot.shared_macs.end();
}

/// A shared address is marked at each robot that has it; frames of it are recognized by their port.
void check_shared(YamlReader& robot, const RobotConfig& config, const RobotConfig& other) {
  for (const MacAddress mac : config.macs) {
    if (std::ranges::find(other.macs, mac) == other.macs.end()) {
      continue;
    }
    const bool shared = shares(config, mac);
    if (!shared || !shares(other, mac)) {
      robot.fault("mac", fmt::format("'{}' already belongs to robot '{}' in line {}{}", mac.text(), other.name,
                                     other.line, shared ? ", which does not have it `shared: true`" : ""));
    } else if (config.port == other.port) {
      robot.fault("mac", fmt::format("'{}' is shared with robot '{}' in line {}, which is on the same port; robots "
                                     "that share an address need a port each",
                                     mac.text(), other.name, other.line));
    }
  }
}

void read_addresses(YamlReader& robot, const std::vector<RobotConfig>& before, RobotConfig& config) {
  read_macs(robot, config);
  config.ips = robot.list<IpAddress>("ip");
  std::erase(config.ips, IpAddress{});  // what could not be read
  check_unique(robot, "mac", config, {}, &RobotConfig::macs);
  for (const RobotConfig& other : before) {
    check_shared(robot, config, other);
  }
  check_unique(robot, "ip", config, before, &RobotConfig::ips);
}

void read_radio(YamlReader& robot, const std::vector<std::string>& radios, bool needed, RobotConfig& config) {
  config.radio = needed ? robot.required<std::string>("radio") : robot.optional<std::string>("radio", "");
  if (!config.radio.empty() && std::find(radios.begin(), radios.end(), config.radio) == radios.end()) {
    robot.fault("radio", none_of(config.radio, "radio profile", radios));
  }
}

/// Without a MAC address, a robot is identified by its port, so no other robot may be on it.
void check_alone(YamlReader& robot, const RobotConfig& config, const std::vector<RobotConfig>& all) {
  for (const RobotConfig& other : all) {
    if (&other != &config && other.port == config.port && config.macs.empty()) {
      robot.fault(fmt::format("misses the key 'mac', because robot '{}' is on the same port", other.name));
      return;
    }
  }
}

/// Group frames are sent to each robot of an isolated port by its address.
void check_isolated(YamlReader& robot, const RobotConfig& config, const PortConfig& port) {
  if (port.isolated && config.macs.size() != 1 && !(robot.has("mac") && config.macs.empty())) {
    robot.fault(
        fmt::format("has {} MAC addresses; a robot of port '{}' needs exactly one, because the port is isolated",
                    config.macs.size(), port.name));
  }
}

/// A port's robots have a VLAN each, or none has.
void check_vlan(YamlReader& robot, const RobotConfig& config, const std::vector<RobotConfig>& all) {
  for (const RobotConfig& other : all) {
    if (&other == &config || other.port != config.port) {
      continue;
    }
    if (config.vlan == 0 && other.vlan != 0 && !robot.has("vlan")) {
      robot.fault(fmt::format("misses the key 'vlan', because robot '{}' on the same port has one", other.name));
      return;
    }
    if (config.vlan != 0 && other.vlan == config.vlan && &other < &config) {
      robot.fault("vlan", fmt::format("{} already belongs to robot '{}' in line {}, on the same port", config.vlan,
                                      other.name, other.line));
    }
  }
}

/// Null for a port that is not in the configuration.
const PortConfig* port_of(const Configuration& configuration, const RobotConfig& robot) {
  return robot.port.value() < configuration.ports.size() ? &configuration.ports[robot.port.value()] : nullptr;
}

/// The kernel changes no tags, so no frame may pass from port to port there.
void check_trunks(YamlReader& root, Configuration& configuration) {
  const PortConfig* trunk = nullptr;
  for (PortConfig& port : configuration.ports) {
    const auto on = [&](const RobotConfig& robot) { return robot.vlan != 0 && port_of(configuration, robot) == &port; };
    port.trunk = std::ranges::any_of(configuration.robots, on);
    if (!port.trunk) {
      continue;
    }
    trunk = &port;
    port.ptp_served = false;  // daemons of the box see no tagged frame
    if (port.isolated) {
      root.child("ports").child(port.name).fault(
          "isolated", "excludes the `vlan` of its robots, which keeps them apart; remove one of them");
    }
  }
  for (const PortConfig& port : configuration.ports) {
    if (trunk != nullptr && port.fail == FailMode::kWire) {
      root.child("ports").child(port.name).fault(
          "fail", fmt::format("'wire' would pass frames between ports without changing tags, and robots of port '{}' "
                              "have a `vlan`; use 'block'",
                              trunk->name));
    }
  }
}

/// What the radios of all robots are read with.
struct RadioSetting {
  const std::vector<std::string> ports;
  const std::vector<std::string> profiles;
  const bool needs_profile;
};

void read_robot_radio(YamlReader& map, const RadioSetting& setting, const Configuration& configuration,
                      RobotConfig& config) {
  const auto port = map.required<std::string>("port");
  config.port = PortIndex{static_cast<std::uint32_t>(setting.ports.size())};
  if (map.has("port")) {
    const auto place = place_of(map.child("port"), port, "port", setting.ports);
    config.port = place ? PortIndex{*place} : config.port;
  }
  config.vlan = read_within(map, "vlan", kVlans).value_or(VlanId{0});
  if (const PortConfig* at = port_of(configuration, config); at != nullptr && is_line(at->driver)) {
    read_line_robot(map, config, configuration.robots);
  } else {
    read_addresses(map, configuration.robots, config);
  }
  config.wired = map.optional<bool>("wired", false);
  read_radio(map, setting.profiles, setting.needs_profile && !config.wired, config);
  config.antenna = read_antenna_mount(map);
}

/// Assignments have names of radios and keys of links between the same dots: `links.red.sik.blue.delay=5ms`.
void check_radio_name(const YamlReader& radio, const std::string& name, const std::vector<std::string>& robots) {
  check_name(radio, name);
  if (std::ranges::find(robots, name) != robots.end()) {
    radio.fault(fmt::format("'{}' is also the name of a robot; choose another name for the radio", shown(name)));
  }
  const std::vector<std::string_view> keys = link_keys();
  if (std::ranges::find(keys, name) != keys.end()) {
    radio.fault(fmt::format("'{}' is also a key of `links`; choose another name for the radio", shown(name)));
  }
}

/// The radios under `radios`, whose robot has none of their keys.
std::vector<YamlReader::Entry> read_radios(YamlReader& robot, const std::vector<std::string>& robots) {
  for (const char* const key : kRadioKeys) {
    if (robot.has(key)) {
      robot.fault(key, "belongs to one radio; give it to a radio under `radios`, or remove `radios`");
    }
  }
  YamlReader radios = robot.child("radios");
  std::vector<YamlReader::Entry> entries = radios.entries();
  if (entries.empty() && radios.is_map()) {
    radios.fault("is empty; give at least one radio, as `wifi: {port: ..., radio: ...}`");
  }
  for (auto& [name, radio] : entries) {
    check_radio_name(radio, name, robots);
    for (const char* const key : kRobotKeys) {
      if (radio.has(key)) {
        radio.fault(key, fmt::format("belongs to the robot, whatever radio it uses; give it at {}", robot.path()));
      }
    }
  }
  return entries;
}

std::vector<std::string> names_of_entries(const std::vector<YamlReader::Entry>& entries) {
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries) {
    names.push_back(name);
  }
  return names;
}

}  // namespace

void read_robots(YamlReader& root, const KnownNames& known, Configuration& configuration) {
  const RadioSetting setting{.ports = names_of(configuration.ports),
                             .profiles = known.radios(configuration.profile_paths),
                             .needs_profile = std::holds_alternative<EmbeddedConfig>(configuration.netsim) &&
                                              !root.child("netsim").has("traces") &&
                                              !root.child("netsim").has("simulator")};
  YamlReader robots = root.child("robots");
  auto entries = robots.entries();
  const std::vector<std::string> names = names_of_entries(entries);
  std::vector<YamlReader> maps;  // by RobotIndex
  for (auto& [name, robot] : entries) {
    check_name(robot, name);
    const auto id = robot.optional<std::string>("id");
    const bool several = robot.has("radios");
    auto radios = several ? read_radios(robot, names) : std::vector<YamlReader::Entry>{{name, robot}};
    for (auto& [radio, map] : radios) {
      RobotConfig config;
      config.name = several ? name + "." + radio : name;
      config.body = name;
      config.line = map.line();
      config.physics_id = id;
      read_robot_radio(map, setting, configuration, config);
      configuration.robots.push_back(std::move(config));
      maps.push_back(map);
    }
  }
  const std::size_t count = std::max(maps.size(), entries.size());
  if (robots.is_map() && (entries.empty() || count > kMaxRobots)) {
    robots.fault(fmt::format("has {} {}; allowed: 1 to {}", count,
                             count > entries.size() ? "radios of robots" : "robots", kMaxRobots));
  }
  for (std::size_t i = 0; i < configuration.robots.size(); ++i) {
    const RobotConfig& robot = configuration.robots[i];
    if (const PortConfig* const port = port_of(configuration, robot)) {
      check_alone(maps[i], robot, configuration.robots);
      check_isolated(maps[i], robot, *port);
      check_vlan(maps[i], robot, configuration.robots);
    }
  }
  check_trunks(root, configuration);
}

}  // namespace hilgate
