// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/fit/variation_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace hilgate {
namespace {

constexpr std::array<double, 12> kRowShares = {0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9};
constexpr double kNewPath = -1;  // instead of a step

struct Likelihood {
  double log = -std::numeric_limits<double>::infinity();
  double variance = 0;  // of shadowing and rows together, dB^2
};

/// Residuals along a path, and the likelihood of a correlation distance and of a share of the variance without memory.
class PathResiduals {
 public:
  PathResiduals(std::span<const MeasuredRow> rows, std::span<const double> residuals_db);
  [[nodiscard]] Likelihood of(double correlation_m, double row_share) const;
  /// Distances to try, rising: from a half of the usual step to the whole way.
  [[nodiscard]] std::vector<double> correlations() const;
  [[nodiscard]] double way_m() const { return way_m_; }

 private:
  std::vector<double> steps_m_;  // to each residual; kNewPath: none
  std::span<const double> residuals_db_;
  double way_m_ = 0;
};

PathResiduals::PathResiduals(std::span<const MeasuredRow> rows, std::span<const double> residuals_db)
    : residuals_db_(residuals_db) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool begins = i == 0 || rows[i].path != rows[i - 1].path;
    steps_m_.push_back(begins ? kNewPath : std::max(rows[i].moved_m - rows[i - 1].moved_m, 0.0));
    way_m_ += begins ? 0 : steps_m_.back();
  }
}

// The shadowing is the state; a row observes it with noise of its own. All variances are shares of their sum, which the
// likelihood's maximum gives in closed form.
Likelihood PathResiduals::of(double correlation_m, double row_share) const {
  const double shadow_share = 1 - row_share;
  double mean = 0;
  double variance = shadow_share;
  double squares = 0;
  double logs = 0;
  for (std::size_t i = 0; i < steps_m_.size(); ++i) {
    const double kept = steps_m_[i] == kNewPath ? 0 : std::exp(-steps_m_[i] / correlation_m);
    mean *= kept;
    variance = kept * kept * variance + (1 - kept * kept) * shadow_share;
    const double expected = std::max(variance + row_share, 1e-9);
    const double error = residuals_db_[i] - mean;
    squares += error * error / expected;
    logs += std::log(expected);
    const double gain = variance / expected;
    mean += gain * error;
    variance *= 1 - gain;
  }
  const auto count = static_cast<double>(steps_m_.size());
  const double total = std::max(squares / count, 1e-12);
  return {-0.5 * (count * std::log(total) + logs), total};
}

std::vector<double> PathResiduals::correlations() const {
  constexpr int kSteps = 32;
  std::vector<double> moved;
  for (const double step_m : steps_m_) {
    if (step_m > 0) {
      moved.push_back(step_m);
    }
  }
  if (moved.empty()) {
    return {};
  }
  std::nth_element(moved.begin(), moved.begin() + static_cast<std::ptrdiff_t>(moved.size() / 2), moved.end());
  const double least = std::max(moved[moved.size() / 2] / 2, 0.01);
  const double most = std::max(way_m_, least);
  std::vector<double> out;
  for (int i = 0; i <= kSteps; ++i) {
    out.push_back(least * std::pow(most / least, static_cast<double>(i) / kSteps));
  }
  return out;
}

struct BestOfDistance {
  Likelihood likelihood;
  double row_share = 0;
};

BestOfDistance best_of(const PathResiduals& path, double correlation_m) {
  BestOfDistance best;
  for (const double share : kRowShares) {
    const Likelihood here = path.of(correlation_m, share);
    if (here.log > best.likelihood.log) {
      best = {here, share};
    }
  }
  return best;
}

double rms_of(std::span<const double> values) {
  double squares = 0;
  for (const double value : values) {
    squares += value * value;
  }
  return std::sqrt(squares / static_cast<double>(values.size()));
}

ShadowingFit without_correlation(std::span<const double> residuals_db, std::string why) {
  ShadowingFit fit;
  fit.sigma_db = rms_of(residuals_db);
  fit.why = std::move(why);
  return fit;
}

}  // namespace

ShadowingFit fit_shadowing(std::span<const MeasuredRow> rows, std::span<const double> residuals_db) {
  constexpr double kHalfChiSquare = 1.92;  // of one degree of freedom, 95 %
  constexpr double kLeastWays = 5;         // correlation distances that a path must be long
  const PathResiduals path(rows, residuals_db);
  const std::vector<double> distances = path.correlations();
  if (distances.empty()) {
    return without_correlation(residuals_db, "nothing moves in this log");
  }
  std::vector<BestOfDistance> best;
  for (const double distance_m : distances) {
    best.push_back(best_of(path, distance_m));
  }
  const auto peak = std::max_element(best.begin(), best.end(), [](const BestOfDistance& a, const BestOfDistance& b) {
    return a.likelihood.log < b.likelihood.log;
  });
  ShadowingFit fit;
  std::size_t first = distances.size();
  std::size_t last = 0;
  for (std::size_t i = 0; i < distances.size(); ++i) {
    if (best[i].likelihood.log >= peak->likelihood.log - kHalfChiSquare) {
      first = std::min(first, i);
      last = i;
    }
  }
  fit.correlation_m = distances[static_cast<std::size_t>(peak - best.begin())];
  fit.least_correlation_m = distances[first];
  fit.most_correlation_m = distances[last];
  if (first == 0 || last + 1 == distances.size() || path.way_m() < kLeastWays * fit.correlation_m) {
    return without_correlation(
        residuals_db,
        fmt::format("the 95 % interval, {:.3g} m to {:.3g} m, reaches the spacing of the rows or a fifth of "
                    "the way of {:.4g} m",
                    fit.least_correlation_m, fit.most_correlation_m, path.way_m()));
  }
  fit.has_correlation = true;
  fit.sigma_db = std::sqrt((1 - peak->row_share) * peak->likelihood.variance);
  fit.row_sigma_db = std::sqrt(peak->row_share * peak->likelihood.variance);
  return fit;
}

namespace {

/// Rows of one path within ten wavelengths: mean and variance of their power.
struct Stretch {
  std::size_t count = 0;
  double sum = 0;
  double squares = 0;
  void add(double power) {
    ++count;
    sum += power;
    squares += power * power;
  }
};

/// Sums over stretches of unit mean: the variance of the power is estimated once for all of them.
struct PowerMoments {
  std::size_t stretches = 0;
  double variances = 0;
  void add(const Stretch& stretch) {
    const auto count = static_cast<double>(stretch.count);
    const double mean = stretch.sum / count;
    const double variance = (stretch.squares - count * mean * mean) / (count - 1);
    variances += variance / (mean * mean);
    ++stretches;
  }
};

}  // namespace

FadingFit fit_fading(std::span<const MeasuredRow> rows, double wavelength_m) {
  constexpr double kStretch = 10;  // wavelengths
  constexpr std::size_t kLeastRows = 10;
  constexpr std::size_t kLeastStretches = 10;
  constexpr double kRayleighDb = -40;
  PowerMoments moments;
  for (std::size_t begin = 0; begin < rows.size();) {
    Stretch stretch;
    std::size_t end = begin;
    for (; end < rows.size() && rows[end].path == rows[begin].path &&
           rows[end].moved_m - rows[begin].moved_m <= kStretch * wavelength_m;
         ++end) {
      stretch.add(std::pow(10, rows[end].level_db.value_or(0) / 10));
    }
    if (stretch.count >= kLeastRows && rows[end - 1].moved_m - rows[begin].moved_m >= kStretch / 2 * wavelength_m) {
      moments.add(stretch);
    }
    begin = std::max(end, begin + 1);
  }
  FadingFit fit{.k_db = {}, .stretches = moments.stretches, .why = {}};
  if (moments.stretches < kLeastStretches) {
    fit.why = fmt::format("{} stretches of {:.3g} m have {} rows or more; {} are needed", moments.stretches,
                          kStretch * wavelength_m, kLeastRows, kLeastStretches);
    return fit;
  }
  const double ratio = moments.variances / static_cast<double>(moments.stretches);  // of variance and squared mean
  const double root = std::sqrt(std::max(1 - ratio, 0.0));
  const double k = root < 1 ? root / (1 - root) : 1e4;
  fit.k_db = k > 1e-4 ? std::min(10 * std::log10(k), 40.0) : kRayleighDb;
  return fit;
}

}  // namespace hilgate
