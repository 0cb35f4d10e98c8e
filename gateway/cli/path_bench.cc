// SPDX-License-Identifier: Apache-2.0
#include "gateway/bench/path/path_bench.h"

#include "gateway/cli/command_line.h"

namespace hilgate {
namespace {

template <class Options>
CLI::App* add(CLI::App& bench, const char* name, const char* text, const std::shared_ptr<Options>& options,
              int (*run)(const Options&), Action& action) {
  auto* command = bench.add_subcommand(name, text);
  command->add_flag("--json", options->json, "for programs instead of people");
  command->callback([&action, options, run] { action = [options, run] { return run(*options); }; });
  return command;
}

template <class Options>
void add_seconds(CLI::App& command, const std::shared_ptr<Options>& options, const char* text) {
  command
      .add_option_function<double>(
          "--seconds",
          [options](double seconds) {
            options->duration = std::chrono::duration_cast<Nanoseconds>(std::chrono::duration<double>(seconds));
          },
          text)
      ->check(CLI::Range(0.05, 3600.0));
}

}  // namespace

void add_path_benches(CLI::App& bench, Action& action) {
  auto throughput = std::make_shared<ThroughputOptions>();
  auto* command = add(bench, "throughput", "Frames per second through the whole path on one core, against testpmd",
                      throughput, bench_throughput_command, action);
  add_seconds(*command, throughput, "time of measuring the path, per size [6]");
  command->add_option("--size", throughput->size, "bytes of a frame, 64 to 1518; imix; or all")->capture_default_str();
  command->add_flag("--search", throughput->search, "look for the highest load without loss, too");

  auto hold = std::make_shared<HoldBenchOptions>();
  command = add(bench, "hold", "Frames per second with so many held, against a thousand held", hold, bench_hold_command,
                action);
  add_seconds(*command, hold, "time of measuring, both together [6]");
  command->add_option("--frames", hold->frames, "held")->capture_default_str();

  auto release = std::make_shared<ReleaseOptions>();
  command = add(bench, "release", "How late frames leave, against an empty loop that reads the clock", release,
                bench_release_command, action);
  command->add_option("--frames", release->frames, "to release")->capture_default_str();
  command->add_option("--rate", release->rate, "frames per second")->capture_default_str();
  add_duration(*command, "--delay", release->delay, "from arrival to release [1ms]");
}

}  // namespace hilgate
