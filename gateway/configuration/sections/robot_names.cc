// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration/sections/robot_names.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "config/plain_text.h"
#include "config/radio_name.h"
#include "gateway/configuration/sections/config_checks.h"

namespace hilgate {

std::vector<std::string> robot_names(const Configuration& configuration) {
  std::vector<std::string> names;
  for (const RobotConfig& radio : configuration.robots) {
    if (radio.name != radio.body && std::ranges::find(names, radio.body) == names.end()) {
      names.push_back(radio.body);
    }
  }
  for (const RobotConfig& radio : configuration.robots) {
    names.push_back(radio.name);
  }
  return names;
}

std::vector<RobotIndex> radios_named(const YamlReader& node, std::string_view name, std::string_view what,
                                     const Configuration& configuration) {
  std::vector<RobotIndex> radios;
  for (std::uint32_t i = 0; i < configuration.robots.size(); ++i) {
    if (stands_for(name, configuration.robots[i].name)) {
      radios.push_back(RobotIndex{i});
    }
  }
  if (radios.empty()) {
    node.fault(hilgate::none_of(name, what, robot_names(configuration)));
  }
  return radios;
}

std::optional<RobotIndex> radio_named(const YamlReader& node, std::string_view name,
                                      const Configuration& configuration) {
  const std::vector<RobotIndex> radios = radios_named(node, name, "robot", configuration);
  if (radios.size() > 1) {
    std::vector<std::string> names;
    for (const RobotIndex radio : radios) {
      names.push_back(configuration.robots[radio.value()].name);
    }
    node.fault(
        fmt::format("'{}' has {} radios; name one of them: {}", shown(name), radios.size(), fmt::join(names, ", ")));
  }
  return radios.size() == 1 ? std::optional(radios.front()) : std::nullopt;
}

std::string radio_part(const RobotConfig& radio) {
  return radio.name == radio.body ? "" : radio.name.substr(radio.body.size() + 1);
}

YamlReader robot_map(YamlReader& root, const RobotConfig& radio) {
  return root.child("robots").child(radio.body);
}

YamlReader radio_map(YamlReader& root, const RobotConfig& radio) {
  YamlReader robot = robot_map(root, radio);
  const std::string part = radio_part(radio);
  return part.empty() ? robot : robot.child("radios").child(part);
}

}  // namespace hilgate
