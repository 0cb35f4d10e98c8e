// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "rf_profiles/numeric/decibel.h"
#include "rf_profiles/path_loss/ground_link.h"

namespace hilgate {

/// ITU-R P.1411 in line of sight: mean of the lower and the upper bound; 3-D distance, heights of both ends.
Decibels itu_p1411_los_loss(double d3d_m, double height1_m, double height2_m, Hertz frequency);

struct ItuP1411 {
  static constexpr std::string_view kName = "itu_p1411_los";

  [[nodiscard]] double loss_db(const PairGeometry& pair, const Carrier& carrier) const {
    const GroundLink link = above_ground(pair);
    return itu_p1411_los_loss(pair.d3d_m, link.tx_height_m, link.rx_height_m, carrier.frequency()).value;
  }
};

}  // namespace hilgate
