// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>

namespace hilgate {

/// Maps an exponential power (Rayleigh) to one of another law of the same probability, by table. Monotonic, so that the
/// order of levels, and with it the motion, stays.
class PowerMap {
 public:
  /// `quantile`: the law's power, mean 1, that is not exceeded with a probability.
  explicit PowerMap(const std::function<double(double probability)>& quantile);

  [[nodiscard]] double operator()(double power) const { return at(place_of(power)); }

  /// The same in two steps: many places may be found at once, in vector code.
  static double place_of(double power) {
    const double root = std::sqrt(power);
    return (root < kHighest ? root : kHighest) / kHighest * kEntries;
  }
  [[nodiscard]] double at(double place) const {
    const auto whole = static_cast<std::int32_t>(place);
    const std::int32_t entry = whole < kEntries ? whole : kEntries - 1;
    const double here = table_[entry];
    return here + (place - entry) * (table_[entry + 1] - here);
  }

 private:
  static constexpr std::int32_t kEntries = 2048;
  static constexpr double kHighest = 5;  // amplitude; beyond with a probability of e^-25
  float table_[kEntries + 1];
};

}  // namespace hilgate
