// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "rf_profiles/numeric/decibel.h"
#include "rf_profiles/path_loss/ground_link.h"

namespace hilgate {

/// The form of ns-2 and ns-3: Friis up to the crossover 4 pi h h / lambda, 40 log10 d beyond; 0 up to 0.5 m. It knows
/// neither lobes nor nulls.
Decibels two_ray_ground_loss(const GroundLink& link, Hertz frequency);

struct TwoRayGround {
  static constexpr std::string_view kName = "two_ray_ground";

  [[nodiscard]] double loss_db(const PairGeometry& pair, const Carrier& carrier) const {
    return two_ray_ground_loss(above_ground(pair), carrier.frequency()).value;
  }
  /// The crossover is farthest with both antennas as high as any.
  [[nodiscard]] double least_loss_db(double d3d_m, double highest_m, const Carrier& carrier) const {
    return loss_db({.d2d_m = d3d_m, .d3d_m = d3d_m, .high_m = highest_m, .low_m = highest_m}, carrier);
  }
};

}  // namespace hilgate
