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
  auto* fix = command->add_flag("--fix", options->fix,
                                "first change what is safe and goes back with the next boot: offloads of ports and of "
                                "robots in a lab, huge pages, net.core.netdev_max_backlog; print what it was before");
  command
      ->add_flag(
          "--service", options->service,
          "look as the service sees this host: user, rights and sandbox of hilgate@NAME for NAME.yaml, of hilgate "
          "without FILE")
      ->excludes(fix);
  command->callback([&action, options] { action = [options] { return doctor_command(*options); }; });
}

}  // namespace hilgate
