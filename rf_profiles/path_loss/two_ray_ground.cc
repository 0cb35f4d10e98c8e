// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/path_loss/two_ray_ground.h"

#include <cmath>
#include <numbers>

#include "rf_profiles/path_loss/friis.h"

namespace hilgate {

Decibels two_ray_ground_loss(const GroundLink& link, Hertz frequency) {
  constexpr double kNoLossUpTo = 0.5;
  const double d_m = std::hypot(link.d2d_m, link.tx_height_m - link.rx_height_m);
  const double heights = link.tx_height_m * link.rx_height_m;
  if (d_m <= kNoLossUpTo) {
    return {0};
  }
  const double crossover_m = 4 * std::numbers::pi * heights * frequency.value / kLightSpeed;
  return {d_m <= crossover_m ? friis_loss_db(d_m, frequency.value) : 40 * decades(d_m) - 20 * decades(heights)};
}

}  // namespace hilgate
