// SPDX-License-Identifier: Apache-2.0
#include "bench/stream_bench.h"

#include <stdexcept>

#include "gateway/commands/command_line.h"

namespace hilgate {
namespace {

void check_stream_end(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon + 1 == text.size()) {
    throw std::invalid_argument("'" + text + "' is not of the form NETNS:INTERFACE, such as red:eth0, " +
                                "/proc/123/ns/net:eth0 or :eth0");
  }
}

}  // namespace

void add_bench_stream(CLI::App& bench, Action& action) {
  auto* command = bench.add_subcommand(
      "stream", "Measure delay, loss and highest rate of whatever lies between two interfaces of this machine");
  auto options = std::make_shared<StreamBenchOptions>();
  const auto add_end = [command](const char* name, const char* text, std::string& end) {
    add_word(*command, name, text, [&end](const std::string& given) {
      check_stream_end(given);
      end = given;
    })->required();
  };
  add_end("--from", "NETNS:INTERFACE that sends; NETNS is a name, a path or nothing", options->from);
  add_end("--to", "NETNS:INTERFACE that hears", options->to);
  command->add_option("--rate", options->rates, "frames per second, even; can be repeated")
      ->check(CLI::Range(1.0, 1e8));
  command->add_option("--size", options->size, "frame size in bytes, FCS included")
      ->check(CLI::Range(64, 1518))
      ->capture_default_str();
  add_duration(*command, "--delay", options->delay, "delay that is asked of what lies between [0ms]");
  add_duration(*command, "--duration", options->duration, "sending time at each rate [1s]");
  command->add_flag("--highest", options->highest, "search the highest rate, too");
  add_quantity<Probability>(*command, "--loss", "share of frames that may be lost at the highest rate [0.5 %]",
                            [options](Probability share) { options->loss = share.value; });
  add_duration(*command, "--trial", options->trial, "sending time of each trial of the search [100ms]");
  command->add_flag("--json", options->json, "print JSON");
  command->callback([&action, options] { action = [options] { return bench_stream_command(*options); }; });
}

}  // namespace hilgate
