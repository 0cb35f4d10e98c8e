// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/replay.h"

#include "gateway/cli/command_line.h"

namespace hilgate {

void add_replay(CLI::App& program, Action& action) {
  auto* command = program.add_subcommand(
      "replay", "Run a recorded run again: its configuration, with the recorded link tables as the air");
  auto options = std::make_shared<ReplayOptions>();
  options->version = HILGATE_VERSION;
  command->add_option("RECORD", options->record, "folder of the run, or its run.mcap")->required();
  command->add_option("--record", options->records, "folder in which the replay is recorded; default: nowhere");
  auto* frames = command->add_option(
      "--frames", options->frames,
      "capture of the run from its beginning: its frames go through the packet path again, without ports and clock; "
      "exit status 1 when other frames are released than then");
  command->add_option("-w,--write", options->output, "with --frames: capture of what came of them")->needs(frames);
  command->add_flag("--force", options->force, "also with another version, or with files that were changed since");
  command->callback([&action, options] { action = [options] { return replay_command(*options); }; });
}

}  // namespace hilgate
