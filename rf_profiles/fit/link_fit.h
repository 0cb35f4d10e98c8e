// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rf_profiles/fit/level_check.h"
#include "rf_profiles/fit/path_loss_fit.h"
#include "rf_profiles/fit/reception_fit.h"
#include "rf_profiles/fit/variation_fit.h"

namespace hilgate {

/// Rows that took no part in the fit, against its prediction.
struct HeldOutRows {
  std::size_t rows = 0;
  double rms_db = 0;
  double mean_db = 0;       // measured less predicted
  double inside_share = 0;  // within 1.96 times the error of the rows that were left out in turn
};

/// All that a log has about a link.
struct LinkFit {
  bool has_levels = true;  // false: reception and throughput are all there is
  CheckedLevels levels;    // with the rows held out
  PathLossFit path_loss;
  ShadowingFit shadowing;
  FadingFit fading;
  std::optional<ReceptionFit> reception{};  // absent: the log does not say what was received
  std::optional<HeldOutRows> held_out{};
  std::vector<double> residuals_db{};  // measured less fitted, of `levels.rows`
  std::size_t fitted_rows = 0;         // of `levels.rows`, the first
  std::vector<MeasuredRow> timed{};    // rows that are stretches of time
  std::vector<std::string> notes{};    // how the rows came about
  bool after_tries = false;            // as MeasuredLog
  double frame_bytes = 0;
};

/// Fits the first rows of a log; the last, the share `held_out` of [0, 0.9], are predicted. Throws std::runtime_error
/// for a log that determines no model.
LinkFit fit_link(const MeasuredLog& log, FitBase base, double held_out);

/// Reception and throughput of a log whose levels are not measured: those of its rows are only what losses are put down
/// to. Throws std::runtime_error for a log without either.
LinkFit fit_traffic(const MeasuredLog& log);

}  // namespace hilgate
