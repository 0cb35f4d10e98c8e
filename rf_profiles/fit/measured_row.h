// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "rf_profiles/path_loss/pair_geometry.h"

namespace hilgate {

/// One row of a measurement of a link.
struct MeasuredRow {
  int line = 0;                      // in its file
  double time_s = 0;                 // does not fall within a path; 0 without a column of times
  PairGeometry pair;                 // where the two ends are
  double moved_m = 0;                // along the path since its first row
  std::optional<double> level_db{};  // dBm, or an SNR in dB; absent: none was measured
  std::optional<bool> received{};    // absent: the log does not say it
  std::size_t path = 0;              // which path the row is of, from 0
};

/// Rows in the order of the file, each path without a break.
struct MeasuredLog {
  std::vector<MeasuredRow> rows;
  bool is_snr = false;         // levels are SNRs
  bool has_heights = false;    // heights of both ends are known
  bool has_positions = false;  // movement is that in space, and not that of the distance alone
  bool has_times = false;
  std::size_t paths = 1;
};

}  // namespace hilgate
