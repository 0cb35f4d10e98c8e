// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace hilgate::ros2 {

/// What a part of a run is like, as diagnostic_msgs/DiagnosticStatus has it.
struct Diagnosis {
  enum class Level : unsigned char { kOk = 0, kWarn = 1, kError = 2, kStale = 3 };
  Level level = Level::kOk;
  std::string name{};     // "hilgate RUN: link red to blue"
  std::string message{};  // one line for people
  std::vector<std::pair<std::string, std::string>> values{};
};

/// Of the run as a whole, its simulators, robots and links, in this order, by the status document of the gateway.
std::vector<Diagnosis> diagnoses_of(const nlohmann::json& status);

/// Of a gateway that does not answer.
Diagnosis silent_gateway(const std::string& run);

}  // namespace hilgate::ros2
