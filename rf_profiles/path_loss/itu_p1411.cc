// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/path_loss/itu_p1411.h"

#include <cmath>
#include <numbers>

namespace hilgate {

Decibels itu_p1411_los_loss(double d3d_m, double height1_m, double height2_m, Hertz frequency) {
  const double wavelength = kLightSpeed / frequency.value;
  const double heights = height1_m * height2_m;
  const double at_breakpoint = std::abs(20 * decades(wavelength * wavelength / (8 * std::numbers::pi * heights)));
  const double beyond = decades(d3d_m * wavelength / (4 * heights));  // beyond the breakpoint 4 h h / lambda
  const double lower = at_breakpoint + (beyond <= 0 ? 20 : 40) * beyond;
  const double upper = at_breakpoint + 20 + (beyond <= 0 ? 25 : 40) * beyond;
  return {(lower + upper) / 2};
}

}  // namespace hilgate
