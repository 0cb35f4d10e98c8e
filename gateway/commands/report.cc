// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include "gateway/commands/command_line.h"
#include "gateway/views/report/report_page.h"

namespace hilgate {

struct ReportOptions {
  std::vector<std::filesystem::path> records;
  std::filesystem::path output;  // the page
};

// `hilgate report`: writes an HTML page about the runs of these records. Throws std::runtime_error for what is no
// record, std::system_error for a page that cannot be written.
int report_command(const ReportOptions& options) {
  std::vector<RunStory> runs;
  for (const std::filesystem::path& record : options.records) {
    runs.push_back(RunStory::of(record));
    if (const std::string end = runs.back().end.text(); !end.empty()) {
      fmt::print(stderr, "{}: {}\n", record.string(), end);
    }
  }
  std::ofstream page(options.output);
  page << report_page(runs);
  page.close();
  if (!page) {
    throw std::system_error(errno, std::generic_category(), options.output.string());
  }
  return 0;
}

void add_report(CLI::App& program, Action& action) {
  auto* command = program.add_subcommand(
      "report", "Write an HTML page about one run or several: rates, loss by cause, delays, events, map, comparison");
  auto options = std::make_shared<ReportOptions>();
  command->add_option("RECORD", options->records, "folders of runs, or their run.mcap")->required();
  command->add_option("-o,--output", options->output, "file to write")->required();
  command->callback([&action, options] { action = [options] { return report_command(*options); }; });
}

}  // namespace hilgate
