// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/path_loss/tgpp_36777.h"

#include <algorithm>
#include <cmath>

#include "rf_profiles/numeric/decibel.h"

namespace hilgate {
namespace {

/// 1 up to a distance, falling to 0 from there.
double aerial_los_probability(double d2d_m, double sure_m, double fading_m) {
  return d2d_m <= sure_m ? 1 : sure_m / d2d_m + std::exp(-d2d_m / fading_m) * (1 - sure_m / d2d_m);
}

}  // namespace

double umi_aerial_los_probability(double d2d_m, double terminal_m) {
  const double h = decades(terminal_m);
  return aerial_los_probability(d2d_m, std::max(294.05 * h - 432.94, 18.0), 233.98 * h - 0.95);
}

double uma_aerial_los_probability(double d2d_m, double terminal_m) {
  if (terminal_m > 100) {
    return 1;
  }
  const double h = decades(terminal_m);
  return aerial_los_probability(d2d_m, std::max(460 * h - 700, 18.0), 4300 * h - 3800);
}

double rma_aerial_los_probability(double d2d_m, double terminal_m) {
  if (terminal_m > 40) {
    return 1;
  }
  const double h = decades(terminal_m);
  return aerial_los_probability(d2d_m, std::max(1350.8 * h - 1602, 18.0), std::max(15021 * h - 16053, 1000.0));
}

Decibels umi_aerial_sigma_los(double terminal_m) {
  return {std::max(5 * std::exp(-0.01 * terminal_m), 2.0)};
}
Decibels uma_aerial_sigma_los(double terminal_m) {
  return {4.64 * std::exp(-0.0066 * terminal_m)};
}
Decibels rma_aerial_sigma_los(double terminal_m) {
  return {4.2 * std::exp(-0.0046 * terminal_m)};
}

}  // namespace hilgate
