// SPDX-License-Identifier: Apache-2.0
#include "bench/path/path_bench.h"

#include "gateway/commands/command_line.h"

namespace hilgate {
namespace {

template <class Options>
CLI::App* add(CLI::App& bench, const char* name, const char* text, const std::shared_ptr<Options>& options,
              int (*run)(const Options&), Action& action) {
  auto* command = bench.add_subcommand(name, text);
  command->add_flag("--json", options->json, "print JSON");
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
  auto* command = add(bench, "throughput",
                      "Measure frames per second through the packet path on one core, compared with testpmd; "
                      "or on several, compared with one",
                      throughput, bench_throughput_command, action);
  add_seconds(*command, throughput, "measuring time per frame size in seconds [6]");
  command->add_option("--size", throughput->size, "frame size: 64 to 1518 bytes, imix, or all")->capture_default_str();
  add_duration(*command, "--delay", throughput->delay, "delay of the links, up to 2 ms [1ms]");
  command
      ->add_option("--cores", throughput->cores, "packet loops, each with two ports; more than one: compared with one")
      ->capture_default_str();
  command->add_option("--crossing", throughput->crossing, "percent of frames to a robot of another core")
      ->capture_default_str();
  command->add_flag("--search", throughput->search, "also search the highest load without loss");

  auto hold = std::make_shared<HoldBenchOptions>();
  command = add(bench, "hold", "Measure frames per second with N frames held, compared with a thousand", hold,
                bench_hold_command, action);
  add_seconds(*command, hold, "total measuring time in seconds [6]");
  command->add_option("--frames", hold->frames, "number of frames held")->capture_default_str();

  auto release = std::make_shared<ReleaseOptions>();
  command = add(bench, "release", "Measure release lateness, compared with an empty loop that reads the clock", release,
                bench_release_command, action);
  command->add_option("--frames", release->frames, "number of frames to release")->capture_default_str();
  command->add_option("--rate", release->rate, "frames per second")->capture_default_str();
  add_duration(*command, "--delay", release->delay, "delay from arrival to release [1ms]");
}

}  // namespace hilgate
