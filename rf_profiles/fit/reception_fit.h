// SPDX-License-Identifier: Apache-2.0
// Loss against level, and whether losses come together.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "rf_profiles/fit/measured_row.h"

namespace hilgate {

/// Frames whose level is within half a step of `level_db`.
struct ReceptionBin {
  double level_db = 0;
  std::size_t frames = 0;
  std::size_t lost = 0;
  double loss = 0;            // fitted: does not rise with the level
  double held_out_error = 0;  // of the one half of the blocks against the other: difference of the losses
};

struct ReceptionFit {
  double step_db = 1;
  std::vector<ReceptionBin> bins;  // by rising level
  std::size_t without_level =
      0;                   // frames whose level is unknown: none of their path was received, or their row has none
  std::size_t frames = 0;  // with a level
  double loss = 0;         // of all of these
  std::optional<double> after_loss{};  // loss of frames after a loss; nothing without 30 of them in each half
  double after_loss_error = 0;         // of the one half of the blocks against the other
  double expected_after_loss = 0;      // of the same frames, if losses depended on the level alone
  /// Share of what decides a loss at one level that is the path's own (LinkSpread); nothing with fewer than 10 paths
  /// with losses in each half.
  std::optional<double> path_share{};
  double after_loss_points =
      0;                    // with it: largest error of loss after a loss, each half predicted from the other, percent
  double error_points = 0;  // largest held-out error of the bins with 100 frames on both sides, in percent
};

/// Loss by level. A lost frame has no level of its own: it counts by the mean level of the 20 received frames nearest
/// to it on its path, and so does a received one; frames of a stretch of time count by the level of their row. Between
/// the bins losses are made not to rise with the level (isotonic regression, pool adjacent violators). Nothing for a
/// log without receptions.
std::optional<ReceptionFit> fit_reception(const MeasuredLog& log);

}  // namespace hilgate
