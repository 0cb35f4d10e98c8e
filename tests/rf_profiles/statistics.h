// SPDX-License-Identifier: Apache-2.0
// The Kolmogorov-Smirnov test, for tests of random models at fixed seeds.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace hilgate::test {

inline double normal_cdf(double x) {
  return 0.5 * std::erfc(-x / std::sqrt(2.0));
}

/// Largest distance between the draws' distribution and a continuous cdf.
inline double kolmogorov_distance(std::vector<double> draws, const std::function<double(double)>& cdf) {
  std::sort(draws.begin(), draws.end());
  const auto n = static_cast<double>(draws.size());
  double distance = 0;
  for (std::size_t i = 0; i < draws.size(); ++i) {
    const double at = cdf(draws[i]);
    distance =
        std::max({distance, std::abs(at - static_cast<double>(i) / n), std::abs(static_cast<double>(i + 1) / n - at)});
  }
  return distance;
}

/// The distance that n independent draws exceed with a probability of 0.001 (asymptotic: 1.95 / sqrt n).
inline double kolmogorov_limit(std::size_t n) {
  return 1.95 / std::sqrt(static_cast<double>(n));
}

}  // namespace hilgate::test
