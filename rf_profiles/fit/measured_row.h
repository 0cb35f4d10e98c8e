// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rf_profiles/path_loss/pair_geometry.h"

namespace hilgate {

/// Frames of a stretch of time, which have one level.
struct FrameTally {
  std::uint64_t frames = 0;  // sent
  std::uint64_t lost = 0;    // of these, at most as many
};

/// One row of a measurement of a link.
struct MeasuredRow {
  int line = 0;                       // in its file, or its number from 1
  double time_s = 0;                  // does not fall within a path; 0 without a column of times
  PairGeometry pair;                  // where the two ends are
  double moved_m = 0;                 // along the path since its first row
  std::optional<double> level_db{};   // dBm, or an SNR in dB; absent: none was measured
  std::optional<bool> received{};     // of a row that is one frame; absent: not in the log
  std::size_t path = 0;               // which path the row is of, from 0
  std::optional<FrameTally> tally{};  // of a row that is a stretch of time
  std::optional<double> rate_bps{};   // of received payload, then
};

/// The geometry of two ends at a horizontal distance and at heights above ground, metres.
inline PairGeometry pair_between(double level_m, double height_m, double other_m) {
  return {.d2d_m = level_m,
          .d3d_m = std::hypot(level_m, height_m - other_m),
          .high_m = std::max(height_m, other_m),
          .low_m = std::min(height_m, other_m)};
}

/// Rows in the order of the file, each path without a break.
struct MeasuredLog {
  std::vector<MeasuredRow> rows;
  bool is_snr = false;         // levels are SNRs
  bool has_heights = false;    // heights of both ends are known
  bool has_positions = false;  // movement is that in space, and not that of the distance alone
  bool has_times = false;
  std::size_t paths = 1;
  bool after_tries = false;          // losses are those of frames after all tries of the radio, and not of single tries
  std::string row_name = "line";     // what MeasuredRow::line counts, for people
  double frame_bytes = 0;            // length of the frames that are counted, on average; 0: not known
  std::vector<std::string> notes{};  // how the rows came about, a sentence each
};

}  // namespace hilgate
