// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/tgpp_36777.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "rf_profiles/decibel.h"
#include "rf_profiles/path_loss_generic.h"

namespace hilgate {
namespace {

double ghz(double f_hz) {
  return f_hz / 1e9;
}

/// 20 log10(40 pi f / 3), f in GHz: free space at 1 m as the report writes it.
double metre_db(double f_hz) {
  return 20 * decades(40 * std::numbers::pi * ghz(f_hz) / 3);
}

/// 1 up to a distance, falling to 0 from there.
double los_probability(double d2d_m, double sure_m, double fading_m) {
  return d2d_m <= sure_m ? 1 : sure_m / d2d_m + std::exp(-d2d_m / fading_m) * (1 - sure_m / d2d_m);
}

}  // namespace

double umi_aerial_loss_db(const TgppLink& link, double f_hz) {
  const double d = decades(link.d3d_m);
  const double h = decades(link.terminal_m);
  const double f = 20 * decades(ghz(f_hz));
  const double los = std::max(friis_loss_db(link.d3d_m, f_hz), 30.9 + (22.25 - 0.5 * h) * d + f);
  return link.line_of_sight ? los : std::max(los, 32.4 + (43.2 - 7.6 * h) * d + f);
}

double uma_aerial_loss_db(const TgppLink& link, double f_hz) {
  const double d = decades(link.d3d_m);
  if (link.line_of_sight) {
    return 28 + 22 * d + 20 * decades(ghz(f_hz));
  }
  return -17.5 + (46 - 7 * decades(link.terminal_m)) * d + metre_db(f_hz);
}

double rma_aerial_loss_db(const TgppLink& link, double f_hz) {
  const double d = decades(link.d3d_m);
  const double h = decades(link.terminal_m);
  const double los = std::max(23.9 - 1.8 * h, 20.0) * d + metre_db(f_hz);
  return link.line_of_sight ? los : std::max(los, -12 + (35 - 5.3 * h) * d + metre_db(f_hz));
}

double umi_aerial_los_probability(double d2d_m, double terminal_m) {
  const double h = decades(terminal_m);
  return los_probability(d2d_m, std::max(294.05 * h - 432.94, 18.0), 233.98 * h - 0.95);
}

double uma_aerial_los_probability(double d2d_m, double terminal_m) {
  if (terminal_m > 100) {
    return 1;
  }
  const double h = decades(terminal_m);
  return los_probability(d2d_m, std::max(460 * h - 700, 18.0), 4300 * h - 3800);
}

double rma_aerial_los_probability(double d2d_m, double terminal_m) {
  if (terminal_m > 40) {
    return 1;
  }
  const double h = decades(terminal_m);
  return los_probability(d2d_m, std::max(1350.8 * h - 1602, 18.0), std::max(15021 * h - 16053, 1000.0));
}

double umi_aerial_sigma_los_db(double terminal_m) {
  return std::max(5 * std::exp(-0.01 * terminal_m), 2.0);
}
double uma_aerial_sigma_los_db(double terminal_m) {
  return 4.64 * std::exp(-0.0066 * terminal_m);
}
double rma_aerial_sigma_los_db(double terminal_m) {
  return 4.2 * std::exp(-0.0046 * terminal_m);
}

}  // namespace hilgate
