// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/scenario_import.h"

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <stdexcept>

#include "config/config_file.h"
#include "config/quantity.h"
#include "gateway/configuration/scenario/eel.h"

namespace hilgate {
namespace {

std::map<std::uint32_t, std::string> robots_of(const std::vector<std::string>& words) {
  std::map<std::uint32_t, std::string> robots;
  for (const std::string& word : words) {
    const auto equals = word.find('=');
    if (equals == std::string::npos || equals + 1 == word.size()) {
      throw std::invalid_argument(fmt::format("--robot: '{}' is not of the form NEM=ROBOT; example: 1=red", word));
    }
    robots[parse_text<std::uint32_t>(word.substr(0, equals))] = word.substr(equals + 1);
  }
  return robots;
}

}  // namespace

int scenario_import_command(const ScenarioImportOptions& options) {
  const std::map<std::uint32_t, std::string> robots = robots_of(options.robots);
  const EelEvents events = read_eel(read_config_file(options.file.string()), options.file.string());
  fmt::print("{}", eel_scenario(events, robots, options.file.filename().string()));
  for (const auto& [type, count] : events.left_out) {
    fmt::print(stderr, "left out: {} events of type {}\n", count, type);
  }
  if (events.limits_broadcast) {
    fmt::print(stderr, "left out: rates of broadcast frames that are not those of unicast frames\n");
  }
  return 0;
}

}  // namespace hilgate
