// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/survey/survey_command.h"

#include "gateway/commands/command_line.h"

namespace hilgate {

void add_survey(CLI::App& program, Action& action) {
  auto* command = program.add_subcommand(
      "survey", "Precompute the walls and multipath of a floor plan (grid map) or of several floors");
  auto options = std::make_shared<SurveyCommand>();
  command->add_option("MAP", options->map, "grid map or floors (YAML)")->required();
  command->add_option("--output", options->output, "output file [MAP.survey beside the map]");
  command->add_option("--threads", options->threads, "number of threads [all processors]")->check(CLI::Range(1, 1024));
  command->add_option("--block", options->block, "side of a shape-factor block in cells")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  command->add_option("--rays", options->rays, "number of rays from each block")
      ->check(CLI::Range(8, 100'000))
      ->capture_default_str();
  command->add_option("--reflections", options->reflections, "maximum number of reflections of a ray")
      ->check(CLI::Range(0, 20))
      ->capture_default_str();
  command->callback(
      [&action, options] { action = [options] { return survey_command(*options, std::cout, std::cerr); }; });
}

}  // namespace hilgate
