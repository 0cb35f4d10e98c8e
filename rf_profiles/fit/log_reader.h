// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "rf_profiles/fit/log_columns.h"
#include "rf_profiles/fit/measured_row.h"

namespace hilgate {

/// The rows of a log with a header: fields separated as config/table_text.h has it. `file` names it in faults.
/// Throws ConfigError with file and line for columns that are not there, fields that are no numbers or out of range,
/// and times that go back within a path. A level that is_gap() is no level.
MeasuredLog read_measured_log(std::string_view text, const std::string& file, const LogColumns& columns);

}  // namespace hilgate
