// SPDX-License-Identifier: Apache-2.0
// The settings that a gateway passes to hilgate-ros2, as JSON, its argument.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "gateway/configuration/output_config.h"

namespace hilgate {

/// What a robot's driver would know of its radio.
struct Ros2Radio {
  double tx_power_dbm = 0;
  double frequency_ghz = 0;
};

struct Ros2Settings {
  std::string run;
  std::string control_socket;
  std::optional<Ros2Input> input;
  std::optional<Ros2Output> output;
  std::map<std::string, Ros2Radio> radios;  // by robot; those without one are not there
};

nlohmann::json json_of(const Ros2Settings& settings);

/// Throws nlohmann::json::exception for a text that json_of() did not write.
Ros2Settings ros2_settings_of(const std::string& text);

}  // namespace hilgate
