// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/path_loss/cost231.h"

namespace hilgate {

Decibels cost231_loss(double d3d_m, double base_m, double mobile_m, Hertz frequency, double mobile_slope) {
  const double f = decades(frequency.value / 1e6);
  const double base = decades(base_m);
  const double mobile = (mobile_slope * f - 0.7) * mobile_m - (1.56 * f - 0.8);
  return {46.3 + 33.9 * f - 13.82 * base - mobile + (44.9 - 6.55 * base) * decades(d3d_m / 1e3)};
}

}  // namespace hilgate
