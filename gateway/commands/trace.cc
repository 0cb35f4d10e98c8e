// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "gateway/commands/command_line.h"
#include "netsim_link/trace/trace_command.h"
#include "netsim_link/trace/trace_file.h"

namespace hilgate {

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
    add_word(*command, "--format", "theaterq, mahimahi, netem-trace or csv [as the file looks]",
             [options](const std::string& given) {
               for (const auto& [word, format] : trace_formats()) {
                 if (word == given) {
                   options->format = format;
                   return;
                 }
               }
               throw std::invalid_argument("'" + given + "' is no format");
             });
    add_word(*command, "--column",
             "column of a CSV file, VALUE=NAME or VALUE=NAME:UNIT, for example rate=DL_bitrate:kbit/s; may be repeated",
             [options](const std::string& given) { add_column(options->columns, given); })
        ->take_all()
        ->trigger_on_parse();
    command->add_flag("--fill-gaps", options->columns.fill_gaps, "take the row before for empty fields of a CSV file");
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
