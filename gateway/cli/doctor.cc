// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/doctor.h"

#include "gateway/cli/command_line.h"

namespace hilgate {

void add_doctor(CLI::App& program, Action& action) {
  auto* command = program.add_subcommand("doctor", "Is this host fit for a gateway, and what to do");
  auto options = std::make_shared<DoctorOptions>();
  command->add_option("FILE", options->file, "a configuration whose ports are looked at as well");
  command->add_flag("--json", options->json, "for programs instead of people");
  command->callback([&action, options] { action = [options] { return doctor_command(*options); }; });
}

}  // namespace hilgate
