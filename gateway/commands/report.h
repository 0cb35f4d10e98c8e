// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

namespace hilgate {

struct ReportOptions {
  std::vector<std::filesystem::path> records;
  std::filesystem::path output;  // the page
};

/// `hilgate report`: writes an HTML page about the runs of these records. Throws std::runtime_error for what is no
/// record, std::system_error for a page that cannot be written.
int report_command(const ReportOptions& options);

}  // namespace hilgate
