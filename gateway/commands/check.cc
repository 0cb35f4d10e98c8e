// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "gateway/commands/command_line.h"
#include "gateway/commands/live_check.h"
#include "gateway/configuration/frames_in_flight.h"
#include "gateway/configuration/reader/configuration_warnings.h"
#include "gateway/configuration/reader/installed_names.h"
#include "gateway/daemon/scenario_check.h"
#include "gateway/run/conditions/found_conditions.h"
#include "gateway/run/planes/configured_path.h"
#include "gateway/run/simulation/simulation.h"
#include "gateway/views/web/web_server.h"
#include "rf_profiles/profile/profile_loader.h"
#include "rf_profiles/profile/validation_text.h"

namespace hilgate {

struct CheckOptions {
  std::filesystem::path file;
  std::string gateway{};             // of the site, whose view is checked; empty: no gateway's
  std::filesystem::path scenario{};  // instead of the file's own; empty: that one
  bool live = false;                 // also what needs this machine: interfaces, processors
};

namespace {

// Where frames are decided is what their delay depends on.
void print_shared_media(const Configuration& configuration, const AirPlan& air) {
  if (!configuration.site) {
    return;
  }
  const SharedMedia shared = shared_media(configuration, air);
  for (const SharedMedia::Medium& medium : shared.media) {
    std::vector<std::string> names;
    for (const std::uint32_t gateway : medium.deciders) {
      names.push_back(configuration.site->gateways[gateway].name);
    }
    if (shared.appointed) {
      fmt::print("  the network simulator decides each frame: at the first gateway that has one, of {}\n",
                 fmt::join(names, ", "));
      continue;
    }
    fmt::print("  medium '{}' has stations at {} gateways: decided at {}\n", medium.name, names.size(),
               fmt::join(names, ", else at "));
  }
}

void print_validation(const Configuration& configuration) {
  if (!std::holds_alternative<EmbeddedConfig>(configuration.netsim)) {
    return;
  }
  std::set<std::string> names;
  for (const RobotConfig& robot : configuration.robots) {
    if (!robot.radio.empty()) {
      names.insert(robot.radio);
    }
  }
  const auto folders = profile_folders(configuration.profile_paths);
  for (const std::string& name : names) {
    const RadioProfile profile = load_radio_profile(find_radio_profile(name, folders));
    fmt::print("  radio {}: {}\n", name, validation_line(profile.validation));
  }
}

void print_traces(const Configuration& configuration) {
  for (const TraceFile& trace : configuration.traces) {
    fmt::print("  trace {}: {}\n", trace.file.string(), trace.contents);
  }
}

}  // namespace

// `hilgate check`: reports that a file is valid and what it describes. Throws ConfigError with its faults otherwise.
int check_command(const CheckOptions& options) {
  Configuration configuration = load_configuration(options.file, known_names(options.gateway));
  if (!options.scenario.empty()) {
    configuration.scenario = load_scenario_for(configuration, options.scenario);
  }
  check_scenario(configuration, known_names(options.gateway));
  const Simulation simulation = try_models(configuration);
  if (options.live) {
    if (auto faults = live_faults(configuration); !faults.empty()) {
      throw ConfigError(std::move(faults));
    }
  }
  if (configuration.web && configuration.web->tiles) {
    open_tiles(*configuration.web->tiles);
  }
  if (configuration.web && configuration.web->plan) {
    open_plan(*configuration.web->plan);
  }
  std::vector<std::string> texts = warnings(configuration);
  const std::vector<std::string> of_models = warnings(configuration, simulation.air);
  texts.insert(texts.end(), of_models.begin(), of_models.end());
  for (const std::string& text : texts) {
    fmt::print(stderr, "warning: {}\n", text);
  }
  fmt::print("{}: valid: run '{}', {} robots on {} ports\n", options.file.string(), configuration.name,
             configuration.robots.size(), configuration.ports.size());
  if (const std::string growth = memory_growth(configuration); !growth.empty()) {
    fmt::print("  {}\n", growth);
  }
  if (const std::string scene = text_of(configuration.world.scene); !scene.empty()) {
    fmt::print("  scene: {}\n", scene);
  }
  print_shared_media(configuration, simulation.air);
  print_validation(configuration);
  print_traces(configuration);
  return 0;
}

void add_check(CLI::App& program, Action& action) {
  auto* command = program.add_subcommand("check", "Validate a configuration; report every error with file and line");
  auto options = std::make_shared<CheckOptions>();
  command->add_option("FILE", options->file, "configuration file (YAML)")->required();
  command->add_option("--scenario", options->scenario, "scenario file, checked instead of the configuration's own");
  command->add_option("--gateway", options->gateway,
                      "gateway of the site that checks; without, the whole file is checked");
  command->add_flag("--live", options->live, "also check this machine's interfaces and processors");
  command->callback([&action, options] { action = [options] { return check_command(*options); }; });
}

}  // namespace hilgate
