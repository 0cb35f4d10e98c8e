// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>

#include "rf_profiles/fit/measured_row.h"

namespace hilgate::test {

/// A robot that flies away from the other end and back, several times, in steps of one metre.
struct SyntheticFlight {
  double least_m = 10;
  double most_m = 500;
  std::size_t rows = 3000;
  double other_height_m = 10;
  std::function<double(const PairGeometry&)> loss_db = [](const PairGeometry&) { return 0.0; };
  std::function<double(double way)> height_m = [](double) { return 10.0; };
  double sigma_db = 0;
  double correlation_m = 20;
  double row_sigma_db = 0;
  std::uint32_t seed = 1;
};

inline MeasuredLog fly(const SyntheticFlight& flight) {
  MeasuredLog log{.rows = {}, .has_heights = true, .has_positions = true, .has_times = true};
  std::mt19937 random(flight.seed);
  std::normal_distribution<double> normal;
  double shadow = flight.sigma_db * normal(random);
  const double span = flight.most_m - flight.least_m;
  for (std::size_t i = 0; i < flight.rows; ++i) {
    const double way = std::fmod(static_cast<double>(i), 2 * span);
    const double d2d_m = flight.least_m + (way <= span ? way : 2 * span - way);
    const double height_m = flight.height_m(static_cast<double>(i));
    const double kept = std::exp(-1 / flight.correlation_m);
    shadow = kept * shadow + std::sqrt(1 - kept * kept) * flight.sigma_db * normal(random);
    MeasuredRow row{.line = static_cast<int>(i) + 2, .time_s = static_cast<double>(i), .pair = {}};
    row.pair = {.d2d_m = d2d_m,
                .d3d_m = std::hypot(d2d_m, height_m - flight.other_height_m),
                .high_m = std::max(height_m, flight.other_height_m),
                .low_m = std::min(height_m, flight.other_height_m)};
    row.moved_m = static_cast<double>(i);
    row.level_db = -flight.loss_db(row.pair) + shadow + flight.row_sigma_db * normal(random);
    log.rows.push_back(row);
  }
  return log;
}

}  // namespace hilgate::test
