// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/top/top.h"

#include "gateway/commands/command_line.h"

namespace hilgate {

void add_top(CLI::App& program, Action& action) {
  auto* command = program.add_subcommand(
      "top",
      "Show the live state of a running gateway on this terminal: links, ports, simulators, clock; ? lists keys");
  auto run = std::make_shared<std::string>();
  command->add_option("RUN", *run, "name of the run, which need not run yet; optional when only one is running");
  command->callback([&action, run] { action = [run] { return top_command(*run); }; });
}

}  // namespace hilgate
