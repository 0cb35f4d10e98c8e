// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/doctor.h"

#include "gateway/cli/command_line.h"

namespace hilgate {

void add_doctor(CLI::App& program, Action& action) {
  auto* command =
      program.add_subcommand("doctor", "Check whether this host is fit for a gateway; report what to change");
  auto options = std::make_shared<DoctorOptions>();
  command->add_option("FILE", options->file, "configuration file (YAML) whose ports are checked too");
  command->add_flag("--json", options->json, "print JSON");
  command->callback([&action, options] { action = [options] { return doctor_command(*options); }; });
}

}  // namespace hilgate
