// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "config/config_file.h"
#include "config/quantity.h"
#include "gateway/commands/command_line.h"
#include "gateway/configuration/scenario/eel.h"
#include "gateway/configuration/scenario/scenario_reader.h"

namespace hilgate {

struct ScenarioImportOptions {
  std::filesystem::path file;
  std::vector<std::string> robots;  // NEM=ROBOT each
};

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

// `hilgate scenario import`: prints an EMANE event log as a scenario, and what it leaves out on standard error.
// Returns the exit status. Throws ConfigError for lines that are no events, std::invalid_argument for robots that are
// none.
int scenario_import_command(const ScenarioImportOptions& options) {
  const std::map<std::uint32_t, std::string> robots = robots_of(options.robots);
  const std::string log = read_config_file(options.file.string(), kMostOfScenario);
  const EelEvents events = read_eel(log, options.file.string());
  const std::string scenario = eel_scenario(events, robots, options.file.filename().string());
  fmt::print("{}", scenario);
  if (scenario.size() > kMostOfScenario) {
    fmt::print(
        stderr,
        "warning: the scenario has {} bytes, and of files above {} none is read; import a part of the log, or one "
        "with fewer events a second\n",
        scenario.size(), kMostOfScenario);
  }
  for (const auto& [type, count] : events.left_out) {
    fmt::print(stderr, "left out: {} events of type {}\n", count, type);
  }
  if (events.limits_broadcast) {
    fmt::print(stderr, "left out: rates of broadcast frames that are not those of unicast frames\n");
  }
  return 0;
}

void add_scenario(CLI::App& program, Action& action) {
  auto* scenario =
      program.add_subcommand("scenario", "Scenarios from the files of other programs")->require_subcommand(1);
  auto* command = scenario->add_subcommand("import", "Print an event log of EMANE (EEL) as a scenario");
  auto options = std::make_shared<ScenarioImportOptions>();
  command->add_option("FILE", options->file, "event log: location and commeffect events")->required();
  command->add_option("--robot", options->robots,
                      "NEM=ROBOT: the robot that a NEM is, 1=red; may be given several times; others are called nemN");
  command->callback([&action, options] { action = [options] { return scenario_import_command(*options); }; });
}

}  // namespace hilgate
