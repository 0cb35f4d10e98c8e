// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/command_line.h"
#include "gateway/commands/scenario_import.h"

namespace hilgate {

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
