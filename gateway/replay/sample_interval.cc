// SPDX-License-Identifier: Apache-2.0
#include "gateway/replay/sample_interval.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace hilgate {
namespace {

// Student's t at 0.975, by degrees of freedom from 1 on; beyond, M. Abramowitz, I. A. Stegun, "Handbook of Mathematical
// Functions", 26.7.5.
double student(std::size_t freedom) {
  constexpr std::array kSmall = {12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281};
  if (freedom <= kSmall.size()) {
    return kSmall[freedom - 1];
  }
  constexpr double kNormal = 1.959964;
  const auto n = static_cast<double>(freedom);
  const double cube = kNormal * kNormal * kNormal;
  const double fifth = cube * kNormal * kNormal;
  return kNormal + (cube + kNormal) / (4 * n) + (5 * fifth + 16 * cube + 3 * kNormal) / (96 * n * n);
}

}  // namespace

SampleInterval SampleInterval::of(std::span<const double> values, const Limits& limits) {
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  if (values.size() < 2) {
    return {mean, mean, mean};
  }
  const double squares = std::accumulate(values.begin(), values.end(), 0.0, [mean](double sum, double value) {
    return sum + (value - mean) * (value - mean);
  });
  const double half = student(values.size() - 1) * std::sqrt(squares / (count - 1) / count);
  return {mean, std::max(mean - half, limits.least), std::min(mean + half, limits.most)};
}

}  // namespace hilgate
