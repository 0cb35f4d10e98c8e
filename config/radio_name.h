// SPDX-License-Identifier: Apache-2.0
// Names of radios: that of a robot with one radio, "red", or ROBOT.RADIO of one with several, "red.sik". Names that
// people choose have no dots.
#pragma once

#include <string>
#include <string_view>

namespace hilgate {

/// Whether `name` stands for the radio: it is its name, "red.sik", or that of the robot that carries it, "red".
inline bool stands_for(std::string_view name, std::string_view radio) {
  return radio.starts_with(name) && (radio.size() == name.size() || radio[name.size()] == '.');
}

/// Where a configuration has what `name` names: "robots.red", or "robots.red.radios.sik".
inline std::string robot_key(std::string_view name) {
  const std::size_t dot = name.find('.');
  const std::string robot = "robots." + std::string(name.substr(0, dot));
  return dot == std::string_view::npos ? robot : robot + ".radios" + std::string(name.substr(dot));
}

}  // namespace hilgate
