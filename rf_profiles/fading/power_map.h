// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>

namespace hilgate {

/// Maps an exponential power (Rayleigh) to one of another law of the same probability, by table. Monotonic, so that the
/// order of levels, and with it the motion, stays.
class PowerMap {
 public:
  /// `quantile`: the law's power, mean 1, that is not exceeded with a probability.
  explicit PowerMap(const std::function<double(double probability)>& quantile);

  [[nodiscard]] double operator()(double power) const {
    const double root = std::min(std::sqrt(power), kHighest) / kHighest * kEntries;
    const auto at = std::min(static_cast<std::size_t>(root), kEntries - 1);
    return std::lerp(static_cast<double>(table_[at]), static_cast<double>(table_[at + 1]),
                     root - static_cast<double>(at));
  }

 private:
  static constexpr std::size_t kEntries = 2048;
  static constexpr double kHighest = 5;  // amplitude; beyond with a probability of e^-25
  float table_[kEntries + 1];
};

}  // namespace hilgate
