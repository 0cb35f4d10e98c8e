// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/fit/link_fit.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>

namespace hilgate {
namespace {

HeldOutRows judge_held_out(std::span<const double> errors_db, double held_out_db) {
  HeldOutRows out{.rows = errors_db.size()};
  double squares = 0;
  for (const double error_db : errors_db) {
    squares += error_db * error_db;
    out.mean_db += error_db / static_cast<double>(errors_db.size());
    constexpr double kNinetyFive = 1.96;  // standard deviations of a normal distribution, 95 %
    out.inside_share += std::abs(error_db) <= kNinetyFive * held_out_db ? 1 / static_cast<double>(errors_db.size()) : 0;
  }
  out.rms_db = std::sqrt(squares / static_cast<double>(errors_db.size()));
  return out;
}

// Of all frames.
double share_of_lost(const MeasuredLog& log) {
  std::size_t lost = 0;
  for (const MeasuredRow& row : log.rows) {
    lost += row.received && !*row.received && !row.level_db ? 1 : 0;
  }
  return static_cast<double>(lost) / static_cast<double>(std::max<std::size_t>(log.rows.size(), 1));
}

// What a fit has of its log, whether that has levels or not.
LinkFit fit_of(const MeasuredLog& log) {
  LinkFit fit;
  fit.notes = log.notes;
  fit.after_tries = log.after_tries;
  fit.frame_bytes = log.frame_bytes;
  fit.reception = fit_reception(log);
  for (const MeasuredRow& row : log.rows) {
    if (row.tally || row.rate_bps) {
      fit.timed.push_back(row);
    }
  }
  return fit;
}

}  // namespace

LinkFit fit_link(const MeasuredLog& log, FitBase base, double held_out) {
  LinkFit fit = fit_of(log);
  fit.levels = check_levels(log);
  const std::vector<MeasuredRow>& rows = fit.levels.rows;
  fit.fitted_rows = rows.size() - static_cast<std::size_t>(held_out * static_cast<double>(rows.size()));
  const std::span<const MeasuredRow> fitted(rows.data(), fit.fitted_rows);
  base.lost_share = share_of_lost(log);
  fit.path_loss = fit_path_loss(fitted, base);
  for (const MeasuredRow& row : rows) {
    fit.residuals_db.push_back(row.level_db.value_or(0) - predicted_level(fit.path_loss.chosen, row, base));
  }
  const std::span<const double> residuals(fit.residuals_db);
  fit.shadowing = fit_shadowing(fitted, residuals.first(fit.fitted_rows));
  fit.fading = fit_fading(fitted, kLightSpeed / base.carrier.hz);
  if (fit.fitted_rows < rows.size()) {
    fit.held_out = judge_held_out(residuals.subspan(fit.fitted_rows), fit.path_loss.chosen.held_out_db);
  }
  return fit;
}

LinkFit fit_traffic(const MeasuredLog& log) {
  LinkFit fit = fit_of(log);
  if (!fit.reception && fit.timed.empty()) {
    throw std::runtime_error("has neither levels nor losses nor rates");
  }
  fit.has_levels = false;
  return fit;
}

}  // namespace hilgate
