// SPDX-License-Identifier: Apache-2.0
// Path loss from measured levels. Of several models the one is chosen that predicts rows best which it was not fitted
// to: paths are left out in turn, or contiguous blocks of rows where there are fewer than three paths, because
// neighbouring rows share their shadowing, and a random choice of rows would let a model predict what it has seen.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rf_profiles/fit/least_squares.h"
#include "rf_profiles/fit/measured_row.h"
#include "rf_profiles/path_loss/path_loss.h"

namespace hilgate {

/// Shapes of mean loss, simplest first.
enum class LossShape : std::uint8_t {
  kBase,         // the base profile's own model, and an offset
  kFreeSpace,    // 20 log d, and an offset
  kTwoRay,       // two_ray_exact over a ground, and an offset; needs heights
  kLogDistance,  // one exponent
  kDualSlope,    // two exponents and a breakpoint
};

struct LossCandidate {
  LossShape shape = LossShape::kFreeSpace;
  std::string ground{};      // kTwoRay: as in profiles
  double breakpoint_m = 0;   // kDualSlope
  bool has_pattern = false;  // with a gain of both antennas together of `pattern` sin^2(elevation) dB
  LeastSquares::Row coefficients{};
  double held_out_db = 0;         // rms error of the rows that were left out
  double held_out_median_db = 0;  // of their absolute errors
  double held_out_most_db = 0;    // 95 % of their absolute errors are at most this
  std::size_t size = 1;           // coefficients, and the breakpoint

  /// kLogDistance, kDualSlope: the exponent, and that beyond the breakpoint.
  [[nodiscard]] double exponent() const { return coefficients[1]; }
  [[nodiscard]] double far_exponent() const { return coefficients[2]; }
  /// dB at an elevation of 90 degrees, of both antennas together; 0 without a pattern.
  [[nodiscard]] double pattern_db() const;
};

/// An estimate with the ends of its 95 % interval.
struct Estimate {
  double value = 0;
  double low = 0;
  double high = 0;
};

struct PathLossFit {
  LossCandidate chosen;
  std::vector<LossCandidate> tried;    // the best of each shape, without and with a pattern
  std::optional<Estimate> exponent{};  // of one exponent, by leaving out blocks; also where another shape is chosen
  std::vector<std::string> undetermined{};  // a sentence each
  std::size_t blocks = 0;
  double least_m = 0, most_m = 0;  // distances of 90 % of the rows
};

/// What the models of a fit need besides the rows.
struct FitBase {
  PathLossModel model;
  Carrier carrier;
  bool has_heights = false;
  double lost_share = 0;  // of the frames: they have no level, and the levels that are left are the stronger ones
};

/// No fit has fewer rows with a level.
inline constexpr std::size_t kLeastFitRows = 30;

/// Fits rows that all have a level, at least kLeastFitRows. Throws std::runtime_error for fewer.
PathLossFit fit_path_loss(std::span<const MeasuredRow> rows, const FitBase& base);

/// The level in dB that `model` predicts.
double predicted_level(const LossCandidate& model, const MeasuredRow& row, const FitBase& base);

/// "free space", "log-distance", ...
std::string name(const LossCandidate& model);

}  // namespace hilgate
