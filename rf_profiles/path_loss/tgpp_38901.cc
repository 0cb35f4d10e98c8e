// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/path_loss/tgpp_38901.h"

#include <algorithm>
#include <cmath>

#include "rf_profiles/numeric/decibel.h"

namespace hilgate {
namespace {

double ghz(Hertz frequency) {
  return frequency.value / 1e9;
}

}  // namespace

double umi_los_probability(double d2d_m) {
  return d2d_m <= 18 ? 1 : 18 / d2d_m + std::exp(-d2d_m / 36) * (1 - 18 / d2d_m);
}

double uma_los_probability(double d2d_m, double terminal_m) {
  if (d2d_m <= 18) {
    return 1;
  }
  const double tall = terminal_m <= 13 ? 0 : std::pow((terminal_m - 13) / 10, 1.5);
  const double street = 18 / d2d_m + std::exp(-d2d_m / 63) * (1 - 18 / d2d_m);
  return street * (1 + tall * 1.25 * std::pow(d2d_m / 100, 3) * std::exp(-d2d_m / 150));
}

double rma_los_probability(double d2d_m) {
  return d2d_m <= 10 ? 1 : std::exp(-(d2d_m - 10) / 1000);
}

double inh_mixed_los_probability(double d2d_m) {
  if (d2d_m <= 1.2) {
    return 1;
  }
  return d2d_m < 6.5 ? std::exp(-(d2d_m - 1.2) / 4.7) : 0.32 * std::exp(-(d2d_m - 6.5) / 32.6);
}

double inh_open_los_probability(double d2d_m) {
  if (d2d_m <= 5) {
    return 1;
  }
  return d2d_m <= 49 ? std::exp(-(d2d_m - 5) / 70.8) : 0.54 * std::exp(-(d2d_m - 49) / 211.7);
}

Decibels glass_loss(Hertz frequency) {
  return {2 + 0.2 * ghz(frequency)};
}
Decibels coated_glass_loss(Hertz frequency) {
  return {23 + 0.3 * ghz(frequency)};
}
Decibels concrete_loss(Hertz frequency) {
  return {5 + 4 * ghz(frequency)};
}
Decibels wood_loss(Hertz frequency) {
  return {4.85 + 0.12 * ghz(frequency)};
}
Decibels into_low_loss_building(Hertz frequency) {
  return {5 - db_of(0.3 * ratio(-glass_loss(frequency)) + 0.7 * ratio(-concrete_loss(frequency)))};
}
Decibels into_high_loss_building(Hertz frequency) {
  return {5 - db_of(0.7 * ratio(-coated_glass_loss(frequency)) + 0.3 * ratio(-concrete_loss(frequency)))};
}

}  // namespace hilgate
