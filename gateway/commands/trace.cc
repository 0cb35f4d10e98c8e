// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iostream>
#include <stdexcept>

#include "gateway/commands/command_line.h"
#include "netsim_link/trace/trace_command.h"
#include "netsim_link/trace/trace_file.h"

namespace hilgate {
namespace {

// The value of a word. Throws std::invalid_argument.
template <class Value>
Value word_of(const std::vector<std::pair<std::string, Value>>& words, const std::string& given, const char* what) {
  for (const auto& [word, value] : words) {
    if (word == given) {
      return value;
    }
  }
  throw std::invalid_argument(fmt::format("'{}' is no {}", given, what));
}

}  // namespace

void add_trace(CLI::App& program, Action& action) {
  using Asked = TraceCommand::Action;
  auto* trace = program.add_subcommand("trace", "Check and plot measured links, which the netsim trace plays");
  trace->require_subcommand(1);
  const auto add = [&](const char* name, const char* text, Asked asked) {
    auto* command = trace->add_subcommand(name, text);
    auto options = std::make_shared<TraceCommand>();
    options->action = asked;
    command->add_option("FILE", options->files, asked == Asked::kPlot ? "trace" : "traces")
        ->required()
        ->expected(1, asked == Asked::kPlot ? 1 : 1000);
    add_word(*command, "--format", "theaterq, mahimahi, netem-trace, pensieve or csv [as the file looks]",
             [options](const std::string& given) { options->format = word_of(trace_formats(), given, "format"); });
    add_word(*command, "--column",
             "column of a CSV file, VALUE=NAME or VALUE=NAME:UNIT, for example rate=DL_bitrate:kbit/s; may be repeated",
             [options](const std::string& given) { add_column(options->columns, given); })
        ->take_all()
        ->trigger_on_parse();
    command->add_flag("--fill-gaps", options->columns.fill_gaps, "take the row before for empty fields of a CSV file");
    add_word(*command, "--times", "rows of a CSV file that go back in time: fault, sort or hold [fault]",
             [options](const std::string& given) { options->columns.order = word_of(csv_orders(), given, "order"); });
    if (asked == Asked::kCheck) {
      command->add_flag("--json", options->json, "print JSON, a line for each file");
    }
    command->callback(
        [&action, options] { action = [options] { return trace_command(*options, std::cout, std::cerr); }; });
  };
  add("check", "Read traces and show their figures, or what is wrong with them", Asked::kCheck);
  add("plot", "Print a trace over time as SVG", Asked::kPlot);
}

}  // namespace hilgate
