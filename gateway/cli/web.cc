// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/web.h"
#include "gateway/cli/command_line.h"

namespace hilgate {

void add_web(CLI::App& program, Action& action) {
  auto* command = program.add_subcommand(
      "web", "Serve a web page of a running gateway, or of a record: map, links, drops, controls");
  auto options = std::make_shared<WebOptions>();
  auto* run = command->add_option("RUN", options->run, "name of the run; optional when only one is running");
  command
      ->add_option("--record", options->record,
                   "folder of a record, or its run.mcap: the page is of that, without a run")
      ->excludes(run);
  command->add_option("--listen", options->listen, "address and port, or unix:PATH; port 0: any")
      ->capture_default_str();
  command->add_option("--token-file", options->token_file,
                      "file whose first line visitors must know; needed for addresses that other machines reach");
  command->callback([&action, options] { action = [options] { return web_command(*options); }; });
}

}  // namespace hilgate
