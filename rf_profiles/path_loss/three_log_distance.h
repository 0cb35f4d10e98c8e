// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "rf_profiles/numeric/decibel.h"
#include "rf_profiles/path_loss/pair_geometry.h"

namespace hilgate {

class YamlReader;

/// Three exponents over three ranges; no loss below the first.
struct ThreeLogDistance {
  static constexpr std::string_view kName = "three_log_distance";

  Decibels reference{46.6777};
  double begin_m[3] = {1, 200, 500};
  double exponent[3] = {1.9, 3.8, 3.8};

  void read(YamlReader& loss);
  [[nodiscard]] double loss_db(double d_m) const;
  [[nodiscard]] double loss_db(const PairGeometry& pair, const Carrier& /*carrier*/) const {
    return loss_db(pair.d3d_m);
  }
  [[nodiscard]] double least_loss_db(double d3d_m, double /*highest_m*/, const Carrier& /*carrier*/) const {
    return loss_db(d3d_m);
  }
};

}  // namespace hilgate
