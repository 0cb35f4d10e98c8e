// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/report.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <system_error>

#include "gateway/views/report/report_page.h"

namespace hilgate {

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

}  // namespace hilgate
