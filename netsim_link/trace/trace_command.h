// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "netsim_link/trace/csv_columns.h"
#include "netsim_link/trace/trace.h"

namespace hilgate {

/// What `hilgate trace` was asked.
struct TraceCommand {
  enum class Action : std::uint8_t { kCheck, kPlot } action = Action::kCheck;
  std::vector<std::string> files;
  std::optional<TraceFormat> format{};  // absent: as each file looks
  CsvColumns columns{};
  bool json = false;
};

/// `hilgate trace check|plot`: prints to `out`, errors to `err`. Returns the exit status: 0, or 1 when a file is wrong.
int trace_command(const TraceCommand& command, std::ostream& out, std::ostream& err);

/// A column as VALUE=NAME or VALUE=NAME:UNIT, as in `rate=DL_bitrate:kbit/s`. Throws std::invalid_argument.
void add_column(CsvColumns& columns, const std::string& text);

}  // namespace hilgate
