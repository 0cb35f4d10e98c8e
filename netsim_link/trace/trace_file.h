// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "netsim_link/trace/csv_columns.h"
#include "netsim_link/trace/trace.h"

namespace hilgate {

/// The formats by their names, for choices.
const std::vector<std::pair<std::string, TraceFormat>>& trace_formats();

/// What a text looks like: JSON begins with a brace or bracket, Mahimahi's lines are whole numbers alone, TheaterQ's
/// are whole numbers with commas, Pensieve's two numbers with blanks between them; everything else is CSV.
TraceFormat guess_format(std::string_view text);

/// Reads a trace; `file` names it in faults. Throws ConfigError with a line for each fault.
Trace parse_trace(std::string_view text, const std::string& file, std::optional<TraceFormat> format = std::nullopt,
                  const CsvColumns& columns = {});
/// The same from a file, of at most 64 MiB.
Trace read_trace(const std::string& file, std::optional<TraceFormat> format = std::nullopt,
                 const CsvColumns& columns = {});

}  // namespace hilgate
