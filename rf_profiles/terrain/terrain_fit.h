// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace hilgate {

/// A line through heights, by its values at the first and at the last of them.
struct HeightLine {
  double at_first = 0;
  double at_last = 0;
};

/// By least squares through the heights from the `from`-th to the `to`-th (counted from 0, whole ones, the next ones
/// where these are the same), each end with half the weight (ITM, 1.6).
HeightLine fit_line(std::span<const double> height_m, double from, double to);

}  // namespace hilgate
