// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "rf_profiles/numeric/decibel.h"
#include "rf_profiles/path_loss/ground_link.h"

namespace hilgate {

/// COST 231's extension of Hata, 1.5 to 2 GHz. `mobile_slope` is 1.1 in COST 231; ns-3.37 has 1.11.
Decibels cost231_loss(double d3d_m, double base_m, double mobile_m, Hertz frequency, double mobile_slope = 1.1);

struct Cost231 {
  static constexpr std::string_view kName = "cost231";

  [[nodiscard]] double loss_db(const PairGeometry& pair, const Carrier& carrier) const {
    const GroundLink link = above_ground(pair);
    return cost231_loss(pair.d3d_m, link.tx_height_m, link.rx_height_m, carrier.frequency()).value;
  }
};

}  // namespace hilgate
