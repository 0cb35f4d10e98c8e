// SPDX-License-Identifier: Apache-2.0
// Distributions of an additional delay, each as its quantile function: the share `u` in (0, 1] of frames is delayed by
// quantile(u) or less. One uniform draw a frame is all the randomness there is, however the draws hang together
// (netsim_link/impairments/jitter.h says how).
#pragma once

#include <algorithm>
#include <cmath>
#include <variant>
#include <vector>

#include "clock/time.h"
#include "config/range.h"
#include "netsim_link/impairments/standard_normal.h"

namespace hilgate {

/// No delay of these is longer.
inline constexpr Nanoseconds kLongestDelay = std::chrono::hours{1};
inline constexpr Range<Nanoseconds> kDelayRange{Nanoseconds{0}, kLongestDelay, "0s to 1h"};

/// A delay in nanoseconds as a duration: never negative, never longer than kLongestDelay.
inline Nanoseconds delay_of(double ns) {
  return Nanoseconds{std::llround(std::clamp(ns, 0.0, static_cast<double>(kLongestDelay.count())))};
}

/// Every delay between the ends is equally likely. Does nothing when both are 0.
struct UniformDelay {
  Nanoseconds least{0};
  Nanoseconds most{0};  // not below `least`
  [[nodiscard]] Nanoseconds quantile(double u) const {
    return delay_of(static_cast<double>(least.count()) + u * static_cast<double>((most - least).count()));
  }
};

/// The bell curve, as in the netem qdisc; what would be negative is 0, which raises the mean when the deviation is not
/// small against it. Does nothing when both are 0.
struct NormalDelay {
  Nanoseconds mean{0};
  Nanoseconds deviation{0};
  [[nodiscard]] Nanoseconds quantile(double u) const {
    return deviation.count() == 0 ? mean
                                  : delay_of(static_cast<double>(mean.count()) +
                                             normal_quantile(u) * static_cast<double>(deviation.count()));
  }
};

/// Pareto's law of the first kind: P(delay > x) = (least / x)^shape for x >= least. Heavy tails, as of loaded networks:
/// the mean is least shape / (shape - 1) and exists for shapes above 1, the variance for shapes above 2. Does nothing
/// when `least` is 0.
struct ParetoDelay {
  Nanoseconds least{0};
  double shape = 3;  // above 0
  [[nodiscard]] Nanoseconds quantile(double u) const {
    // By 1 - u, which is as uniform as u but may be 0: then the delay is the longest there is.
    return least.count() == 0 ? least : delay_of(static_cast<double>(least.count()) * std::pow(1 - u, -1 / shape));
  }
};

/// A measured distribution: its quantiles at equal steps from 0 to 1, straight lines between them. netem's tables of
/// distributions are read the same way. Does nothing when all are 0.
struct TableDelay {
  std::vector<Nanoseconds> quantiles;  // at least two, not falling
  [[nodiscard]] Nanoseconds quantile(double u) const {
    const double at = u * static_cast<double>(quantiles.size() - 1);
    const auto below = std::min(static_cast<std::size_t>(at), quantiles.size() - 2);
    const auto from = static_cast<double>(quantiles[below].count());
    const auto to = static_cast<double>(quantiles[below + 1].count());
    return delay_of(from + (at - static_cast<double>(below)) * (to - from));
  }
};

using DelayDistribution = std::variant<UniformDelay, NormalDelay, ParetoDelay, TableDelay>;

}  // namespace hilgate
