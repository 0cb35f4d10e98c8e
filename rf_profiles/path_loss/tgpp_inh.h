// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "rf_profiles/path_loss/tgpp_pair.h"

namespace hilgate {

/// Offices (TR 38.901), LOS or NLOS as the scene says.
struct TgppInh {
  static constexpr std::string_view kName = "tgpp_inh";

  [[nodiscard]] double loss_db(const PairGeometry& pair, const Carrier& carrier) const {
    return inh_loss_db(tgpp_on_ground(pair), carrier);
  }
  /// Heights count for nothing, and out of sight it is no less than in sight.
  [[nodiscard]] static double least_loss_db(double d3d_m, double /*highest_m*/, const Carrier& carrier) {
    return inh_loss_db({.d2d_m = d3d_m, .d3d_m = d3d_m}, carrier);
  }
  void losses_db(const PairBatch& pairs, const Carrier& carrier, double* loss_db) const;
  [[nodiscard]] double line_of_sight_probability(const PairGeometry& pair) const {
    return inh_mixed_los_probability(pair.d2d_m);
  }
};

}  // namespace hilgate
