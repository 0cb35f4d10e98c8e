// SPDX-License-Identifier: Apache-2.0
// A record as tables, for spreadsheets and programs: one file each, of which the first row has the names.
#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>

#include "host/mcap/mcap_reader.h"

namespace hilgate {

/// To six digits after the point, as people write it.
inline double six_digits(double value) {
  return std::round(value * 1e6) / 1e6;
}

enum class TableFormat : std::uint8_t { kCsv, kJson };

/// Writes the record's tables to `folder`, which is made: NAME.csv, or NAME.jsonl with an object for each row. Throws
/// as read_record(), and std::system_error for files that cannot be written.
McapEnd export_record(const std::filesystem::path& record, const std::filesystem::path& folder, TableFormat format);

}  // namespace hilgate
