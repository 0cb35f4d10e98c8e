// SPDX-License-Identifier: Apache-2.0
// What is wrong with measured levels before anything is fitted to them.
#pragma once

#include <string>
#include <vector>

#include "rf_profiles/fit/measured_row.h"

namespace hilgate {

/// The rows that a fit may use, and what was found.
struct CheckedLevels {
  std::vector<MeasuredRow> rows;  // with a level, without outliers and without distances of saturation
  std::size_t without_level = 0;
  std::size_t outliers = 0;
  std::size_t at_saturation = 0;     // rows left out, because the level saturates at such distances
  double step_db = 0;                // between the levels; 0: finer than 0.05 dB
  std::vector<std::string> notes{};  // a sentence each
};

/// A level more than 20 dB from the median of the rows around it is an outlier. A level is saturated where it lies at
/// the highest or lowest value of the log much more often than next to it; then the distances at which that happens
/// are left out, since the rows that are left of them are a biased choice. Throws std::runtime_error for a log
/// with fewer than two levels that differ.
CheckedLevels check_levels(const MeasuredLog& log);

}  // namespace hilgate
