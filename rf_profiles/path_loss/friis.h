// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <numbers>
#include <string_view>

#include "rf_profiles/numeric/decibel.h"
#include "rf_profiles/path_loss/pair_geometry.h"

namespace hilgate {

/// 20 log10(4 pi d f / c) (H. T. Friis, 1946); 0 for d <= 0.
inline double friis_loss_db(double d_m, double f_hz) {
  const double loss = 20 * decades(4 * std::numbers::pi * d_m * f_hz / kLightSpeed);
  return d_m > 0 ? loss : 0;
}

/// Free space.
struct Friis {
  static constexpr std::string_view kName = "friis";

  [[nodiscard]] double loss_db(const PairGeometry& pair, const Carrier& carrier) const {
    return friis_loss_db(pair.d3d_m, carrier.hz);
  }
  void losses_db(const PairBatch& pairs, const Carrier& carrier, double* loss_db) const;
  [[nodiscard]] static double least_loss_db(double d3d_m, double /*highest_m*/, const Carrier& carrier) {
    return friis_loss_db(d3d_m, carrier.hz);
  }
};

}  // namespace hilgate
