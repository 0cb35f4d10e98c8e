// SPDX-License-Identifier: Apache-2.0
// 3GPP TR 36.777 annex B: terminals in the air, where TR 38.901 ends. dB as positive numbers.
// Taken from several public ports that agree with one another, not from the text of the report.
#pragma once

#include <numbers>

#include "rf_profiles/path_loss/friis.h"
#include "rf_profiles/path_loss/tgpp_38901.h"

namespace hilgate {

namespace tgpp {

/// 20 log10(40 pi f / 3), f in GHz: free space at 1 m as the reports write it.
inline double metre_db(const Carrier& carrier) {
  return 20 * (decades(40 * std::numbers::pi / 3) + carrier.decades_ghz);
}

}  // namespace tgpp

/// Terminals from 22.5 m (UMi, UMa) or 10 m (RMa) to 300 m above ground.
inline double umi_aerial_loss_db(const TgppLink& link, const Carrier& carrier) {
  const double d = decades(link.d3d_m);
  const double h = decades(link.terminal_m);
  const double f = 20 * carrier.decades_ghz;
  const double statistical = 30.9 + (22.25 - 0.5 * h) * d + f;
  const double free = friis_loss_db(link.d3d_m, carrier.hz);
  const double los = free > statistical ? free : statistical;
  return tgpp::nlos_or(los, 32.4 + (43.2 - 7.6 * h) * d + f, link.line_of_sight);
}

inline double uma_aerial_loss_db(const TgppLink& link, const Carrier& carrier) {
  const double d = decades(link.d3d_m);
  const double los = 28 + 22 * d + 20 * carrier.decades_ghz;
  const double nlos = -17.5 + (46 - 7 * decades(link.terminal_m)) * d + tgpp::metre_db(carrier);
  return link.line_of_sight ? los : nlos;
}

inline double rma_aerial_loss_db(const TgppLink& link, const Carrier& carrier) {
  const double d = decades(link.d3d_m);
  const double h = decades(link.terminal_m);
  const double slope = 23.9 - 1.8 * h;
  const double los = (slope > 20 ? slope : 20) * d + tgpp::metre_db(carrier);
  return tgpp::nlos_or(los, -12 + (35 - 5.3 * h) * d + tgpp::metre_db(carrier), link.line_of_sight);
}

double umi_aerial_los_probability(double d2d_m, double terminal_m);
double uma_aerial_los_probability(double d2d_m, double terminal_m);
double rma_aerial_los_probability(double d2d_m, double terminal_m);

/// Standard deviation of the shadowing in line of sight.
Decibels umi_aerial_sigma_los(double terminal_m);
Decibels uma_aerial_sigma_los(double terminal_m);
Decibels rma_aerial_sigma_los(double terminal_m);

}  // namespace hilgate
