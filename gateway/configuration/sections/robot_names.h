// SPDX-License-Identifier: Apache-2.0
// Names of robots and of their radios in a configuration: "red" is a robot, "red.sik" a radio of a robot with `radios`.
// A robot without `radios` is one radio of the same name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/yaml_reader.h"
#include "gateway/configuration/configuration.h"

namespace hilgate {

/// Every name that stands for one radio or for several: those of robots with `radios`, then those of all radios.
std::vector<std::string> robot_names(const Configuration& configuration);

/// The radios that a name stands for: all of a robot, or one. A fault that lists the names, and nothing, for an unknown
/// one; `what` it should be, for the fault.
std::vector<RobotIndex> radios_named(const YamlReader& node, std::string_view name, std::string_view what,
                                     const Configuration& configuration);

/// The same where one radio is meant: the name of a robot with several radios is a fault.
std::optional<RobotIndex> radio_named(const YamlReader& node, std::string_view name,
                                      const Configuration& configuration);

/// The radio's own name, "sik"; empty for a robot without `radios`.
std::string radio_part(const RobotConfig& radio);

/// The map with the keys of the robot, and the one with those of the radio; the same for a robot without `radios`.
YamlReader robot_map(YamlReader& root, const RobotConfig& radio);
YamlReader radio_map(YamlReader& root, const RobotConfig& radio);

}  // namespace hilgate
