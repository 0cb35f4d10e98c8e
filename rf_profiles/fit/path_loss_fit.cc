// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/fit/path_loss_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "rf_profiles/propagation/material.h"

namespace hilgate {
namespace {

using Row = LeastSquares::Row;
constexpr std::array<std::string_view, 5> kGrounds = {"ideal", "very_dry_ground", "medium_dry_ground", "wet_ground",
                                                      "concrete"};
constexpr double kPatternSpan = 0.1;     // of sin^2(elevation), below which rows say nothing about a pattern
constexpr double kWorseByChance = 1.02;  // a simpler model is taken up to this ratio of held-out errors
constexpr double kLeastSpan = 2;         // of the distances of 90 % of the rows, for an exponent
constexpr double kMostLost = 0.1;        // of the frames, for an exponent
constexpr double kWidestExponent = 1;    // half of the interval

double sine_squared(const PairGeometry& pair) {
  const double rise = pair.high_m - pair.low_m;
  return pair.d3d_m > 0 ? rise * rise / (pair.d3d_m * pair.d3d_m) : 0;
}

std::size_t linear_size(LossShape shape) {
  return shape == LossShape::kDualSlope ? 3 : shape == LossShape::kLogDistance ? 2 : 1;
}

PathLossModel two_ray_over(const std::string& ground) {
  TwoRayExact model;
  model.ideal_ground = ground == kGrounds.front();
  if (!model.ideal_ground) {
    model.ground = std::get<SlabConstants>(builtin_material(ground)->loss);
  }
  return model;
}

// What is subtracted from the level before the coefficients: the part of the loss that has none.
double known_loss(const LossCandidate& model, const MeasuredRow& row, const FitBase& base) {
  switch (model.shape) {
    case LossShape::kBase:
      return path_loss(base.model, row.pair, base.carrier).value;
    case LossShape::kFreeSpace:
      return 20 * std::log10(std::max(row.pair.d3d_m, 1.0));
    case LossShape::kTwoRay:
      return path_loss(two_ray_over(model.ground), row.pair, base.carrier).value;
    case LossShape::kLogDistance:
    case LossShape::kDualSlope:
      break;
  }
  return 0;
}

Row columns(const LossCandidate& model, const MeasuredRow& row) {
  const double distance_m = std::max(row.pair.d3d_m, 1.0);
  Row out{1};
  if (model.shape == LossShape::kLogDistance) {
    out[1] = -10 * std::log10(distance_m);
  } else if (model.shape == LossShape::kDualSlope) {
    out[1] = -10 * std::log10(std::min(distance_m, model.breakpoint_m));
    out[2] = -10 * std::log10(std::max(distance_m / model.breakpoint_m, 1.0));
  }
  if (model.has_pattern) {
    out[linear_size(model.shape)] = sine_squared(row.pair);
  }
  return out;
}

/// Rows in blocks, one of which is left out at a time.
class Blocks {
 public:
  Blocks(std::span<const MeasuredRow> rows, const FitBase& base);
  /// Fits all rows and judges by those left out. False: the rows do not determine the model.
  bool judge(LossCandidate& model) const;
  [[nodiscard]] std::size_t count() const { return count_; }
  /// One exponent, by the jackknife over blocks.
  [[nodiscard]] std::optional<Estimate> exponent() const;

 private:
  struct Sums {
    LeastSquares all;
    std::vector<LeastSquares> block;
  };
  [[nodiscard]] Sums sums(const LossCandidate& model, std::vector<Row>& rows, std::vector<double>& values) const;
  [[nodiscard]] std::optional<Row> without(const Sums& sums, std::size_t block) const;

  std::span<const MeasuredRow> rows_;
  const FitBase& base_;
  std::vector<std::size_t> block_of_;
  std::size_t count_ = 0;
};

Blocks::Blocks(std::span<const MeasuredRow> rows, const FitBase& base) : rows_(rows), base_(base) {
  constexpr std::size_t kBlocks = 10;
  constexpr std::size_t kLeastPaths = 3;
  std::vector<std::size_t> paths;
  for (const MeasuredRow& row : rows) {
    if (paths.empty() || paths.back() != row.path) {
      paths.push_back(row.path);
    }
    block_of_.push_back(paths.size() - 1);
  }
  count_ = paths.size();
  if (count_ < kLeastPaths) {
    count_ = kBlocks;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      block_of_[i] = i * kBlocks / rows.size();
    }
  } else if (count_ > kBlocks) {  // many short paths: several of them are left out together
    for (std::size_t& block : block_of_) {
      block = block * kBlocks / paths.size();
    }
    count_ = kBlocks;
  }
}

Blocks::Sums Blocks::sums(const LossCandidate& model, std::vector<Row>& rows, std::vector<double>& values) const {
  const std::size_t size = linear_size(model.shape) + (model.has_pattern ? 1 : 0);
  Sums out{LeastSquares(size), std::vector<LeastSquares>(count_, LeastSquares(size))};
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    rows.push_back(columns(model, rows_[i]));
    values.push_back(rows_[i].level_db.value_or(0) + known_loss(model, rows_[i], base_));
    out.block[block_of_[i]].add(rows.back(), values.back());
  }
  for (const LeastSquares& block : out.block) {
    out.all += block;
  }
  return out;
}

std::optional<Row> Blocks::without(const Sums& sums, std::size_t block) const {
  LeastSquares rest = sums.all;
  rest -= sums.block[block];
  return rest.solve();
}

bool Blocks::judge(LossCandidate& model) const {
  std::vector<Row> rows;
  std::vector<double> values;
  const Sums all = sums(model, rows, values);
  const std::optional<Row> solution = all.all.solve();
  if (!solution) {
    return false;
  }
  model.coefficients = *solution;
  model.size = linear_size(model.shape) + (model.has_pattern ? 1 : 0) + (model.shape == LossShape::kDualSlope ? 1 : 0);
  std::vector<Row> fits;
  for (std::size_t block = 0; block < count_; ++block) {
    const std::optional<Row> fit = without(all, block);
    if (!fit) {
      return false;
    }
    fits.push_back(*fit);
  }
  double squares = 0;
  std::vector<double> errors;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    errors.push_back(std::abs(values[i] - dot(fits[block_of_[i]], rows[i])));
    squares += errors.back() * errors.back();
  }
  model.held_out_db = std::sqrt(squares / static_cast<double>(rows.size()));
  std::ranges::sort(errors);
  model.held_out_median_db = errors[(errors.size() - 1) / 2];
  model.held_out_most_db = errors[(errors.size() - 1) * 95 / 100];
  return true;
}

// Jackknife over blocks (B. Efron, "The Jackknife, the Bootstrap and Other Resampling Plans", 1982): the variance is
// (g - 1) / g times the sum of squares of the estimates without each block about their mean.
std::optional<Estimate> Blocks::exponent() const {
  constexpr std::array<double, 10> kStudent = {12.71, 12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26};
  std::vector<Row> rows;
  std::vector<double> values;
  const Sums all = sums({.shape = LossShape::kLogDistance}, rows, values);
  const std::optional<Row> whole = all.all.solve();
  std::vector<double> estimates;
  for (std::size_t block = 0; block < count_ && whole; ++block) {
    const std::optional<Row> fit = without(all, block);
    if (!fit) {
      return std::nullopt;
    }
    estimates.push_back((*fit)[1]);
  }
  if (!whole) {
    return std::nullopt;
  }
  const auto blocks = static_cast<double>(count_);
  const double mean = std::accumulate(estimates.begin(), estimates.end(), 0.0) / blocks;
  double squares = 0;
  for (const double estimate : estimates) {
    squares += (estimate - mean) * (estimate - mean);
  }
  const double reach = kStudent[count_ - 1] * std::sqrt((blocks - 1) / blocks * squares);
  return Estimate{(*whole)[1], (*whole)[1] - reach, (*whole)[1] + reach};
}

std::pair<double, double> middle_range(std::vector<double> values, double tail) {
  std::sort(values.begin(), values.end());
  const auto last = static_cast<double>(values.size() - 1);
  return {values[static_cast<std::size_t>(tail * last)], values[static_cast<std::size_t>((1 - tail) * last)]};
}

std::vector<double> distances_of(std::span<const MeasuredRow> rows) {
  std::vector<double> out;
  for (const MeasuredRow& row : rows) {
    out.push_back(std::max(row.pair.d3d_m, 1.0));
  }
  return out;
}

std::vector<LossCandidate> variants(LossShape shape, std::span<const MeasuredRow> rows) {
  if (shape == LossShape::kTwoRay) {
    std::vector<LossCandidate> out;
    for (const std::string_view ground : kGrounds) {
      out.push_back({.shape = shape, .ground = std::string(ground)});
    }
    return out;
  }
  if (shape != LossShape::kDualSlope) {
    return {{.shape = shape}};
  }
  constexpr int kBreakpoints = 16;
  const auto [near_m, far_m] = middle_range(distances_of(rows), 0.15);
  std::vector<LossCandidate> out;
  for (int i = 1; i < kBreakpoints && far_m > near_m; ++i) {
    out.push_back(
        {.shape = shape, .breakpoint_m = near_m * std::pow(far_m / near_m, static_cast<double>(i) / kBreakpoints)});
  }
  return out;
}

class PathLossFitter {
 public:
  PathLossFitter(std::span<const MeasuredRow> rows, const FitBase& base)
      : rows_(rows), base_(base), blocks_(rows, base) {}
  PathLossFit fit();

 private:
  bool determines_exponent();
  void look_for_pattern();
  void try_shape(LossShape shape);
  void choose();

  std::span<const MeasuredRow> rows_;
  const FitBase& base_;
  Blocks blocks_;
  PathLossFit fit_;
  bool may_have_pattern_ = false;
};

PathLossFit PathLossFitter::fit() {
  fit_.blocks = blocks_.count();
  std::tie(fit_.least_m, fit_.most_m) = middle_range(distances_of(rows_), 0.05);
  look_for_pattern();
  try_shape(LossShape::kBase);
  if (determines_exponent()) {
    try_shape(LossShape::kFreeSpace);
    if (base_.has_heights) {
      try_shape(LossShape::kTwoRay);
    }
    try_shape(LossShape::kLogDistance);
    try_shape(LossShape::kDualSlope);
  }
  if (!base_.has_heights) {
    fit_.undetermined.push_back("two-ray and the antennas' elevation pattern: the log has no heights");
  }
  choose();
  return std::move(fit_);
}

bool PathLossFitter::determines_exponent() {
  if (base_.lost_share > kMostLost) {
    fit_.undetermined.push_back(fmt::format(
        "path loss exponent and offset: {:.0f} % of the frames were lost and have no level, so that the levels that "
        "are left are too strong, most of all far away; the base profile's path loss is kept",
        100 * base_.lost_share));
    return false;
  }
  if (fit_.most_m < kLeastSpan * fit_.least_m) {
    fit_.undetermined.push_back(
        fmt::format("path loss exponent: 90 % of the rows are between {:.4g} m and {:.4g} m, a ratio below {:g}; the "
                    "base profile's path loss is kept, and only its offset is fitted",
                    fit_.least_m, fit_.most_m, kLeastSpan));
    return false;
  }
  fit_.exponent = blocks_.exponent();
  const bool has_one = fit_.exponent && fit_.exponent->high - fit_.exponent->low <= 2 * kWidestExponent;
  if (!has_one) {
    fit_.undetermined.push_back(fmt::format(
        "one path loss exponent: {}; blocks of the log disagree",
        fit_.exponent ? fmt::format("its 95 % interval is {:.2f} to {:.2f}", fit_.exponent->low, fit_.exponent->high)
                      : "some blocks alone determine it"));
  }
  return true;
}

void PathLossFitter::look_for_pattern() {
  double least = 1;
  double most = 0;
  for (const MeasuredRow& row : rows_) {
    least = std::min(least, sine_squared(row.pair));
    most = std::max(most, sine_squared(row.pair));
  }
  may_have_pattern_ = base_.has_heights && most - least >= kPatternSpan;
}

void PathLossFitter::try_shape(LossShape shape) {
  for (const bool has_pattern : {false, true}) {
    if (has_pattern && !may_have_pattern_) {
      continue;
    }
    std::optional<LossCandidate> best;
    for (LossCandidate& variant : variants(shape, rows_)) {
      variant.has_pattern = has_pattern;
      if (blocks_.judge(variant) && (!best || variant.held_out_db < best->held_out_db)) {
        best = variant;
      }
    }
    if (best) {
      fit_.tried.push_back(*best);
    }
  }
}

void PathLossFitter::choose() {
  double least = std::numeric_limits<double>::infinity();
  for (const LossCandidate& model : fit_.tried) {
    least = std::min(least, model.held_out_db);
  }
  std::size_t size = LeastSquares::kMost + 2;
  for (const LossCandidate& model : fit_.tried) {
    const bool good = model.held_out_db <= kWorseByChance * least;
    const bool better = model.size < size || (model.size == size && model.held_out_db < fit_.chosen.held_out_db);
    if (good && better) {
      fit_.chosen = model;
      size = model.size;
    }
  }
}

}  // namespace

double LossCandidate::pattern_db() const {
  return has_pattern ? coefficients[linear_size(shape)] : 0;
}

PathLossFit fit_path_loss(std::span<const MeasuredRow> rows, const FitBase& base) {
  if (rows.size() < kLeastFitRows) {
    throw std::runtime_error(
        fmt::format("has {} rows with a level; a fit needs at least {}", rows.size(), kLeastFitRows));
  }
  return PathLossFitter(rows, base).fit();
}

double predicted_level(const LossCandidate& model, const MeasuredRow& row, const FitBase& base) {
  return dot(model.coefficients, columns(model, row)) - known_loss(model, row, base);
}

std::string name(const LossCandidate& model) {
  constexpr std::array<std::string_view, 5> kNames = {"base profile's", "free space", "two-ray", "log-distance",
                                                      "dual slope"};
  std::string text{kNames[static_cast<std::size_t>(model.shape)]};
  if (model.shape == LossShape::kTwoRay) {
    text += " over " + model.ground;
  }
  return text + (model.has_pattern ? " with an elevation pattern" : "");
}

}  // namespace hilgate
