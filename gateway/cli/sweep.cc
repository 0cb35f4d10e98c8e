// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/sweep.h"

#include "gateway/cli/command_line.h"

namespace hilgate {

void add_sweep(CLI::App& program, Action& action) {
  auto* command = program.add_subcommand(
      "sweep", "Run copies of a configuration with other seeds and values side by side, without ports and clock");
  auto options = std::make_shared<SweepOptions>();
  options->version = HILGATE_VERSION;
  options->plan.jobs = 0;
  SweepPlan& plan = options->plan;
  command->add_option("FILE", options->file, "configuration file (YAML)")->required();
  command->add_option("--seeds", plan.seeds, "copies of each set of values")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  command->add_option("--first-seed", plan.first_seed, "seed of the first of them")->capture_default_str();
  command->add_option("--set", plan.values,
                      "KEY=A,B,C: a key as of `hilgate set`, and its values; several: all combinations");
  command->add_option("-o,--output", plan.folder, "folder for the copies' records and copies.csv; it is made")
      ->required();
  auto* frames = command->add_option("--frames", plan.frames,
                                     "capture of a run: its frames come in; default: every robot sends to every other");
  const auto made = [&](CLI::Option* option) { option->excludes(frames); };
  add_duration(*command, "--interval", plan.traffic.interval, "between two frames of a link [10ms]");
  add_duration(*command, "--duration", plan.traffic.length, "for how long they are sent [10s]");
  made(command->add_option("--size", plan.traffic.bytes, "bytes of a frame")
           ->check(CLI::Range(60, 9000))
           ->capture_default_str());
  made(command->get_option("--interval"));
  made(command->get_option("--duration"));
  command->add_flag("--capture", plan.capture, "each copy with a capture, frames.pcapng");
  command->add_option("--jobs", plan.jobs, "copies at a time; default: as many as there are processors")
      ->check(CLI::Range(1, 1024));
  command->add_flag("--json", options->json, "print JSON");
  command->callback([&action, options] { action = [options] { return sweep_command(*options); }; });
}

}  // namespace hilgate
