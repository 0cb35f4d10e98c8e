// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "rf_profiles/path_loss/pair_geometry.h"

namespace hilgate {

/// Two ends above flat ground; heights above ground, m.
struct GroundLink {
  double d2d_m = 0;
  double tx_height_m = 0;
  double rx_height_m = 0;
};

/// A pair as two-ray and Hata want it: antennas at least 0.1 m high.
inline GroundLink above_ground(const PairGeometry& pair) {
  constexpr double kLeastHeight = 0.1;  // m
  return {pair.d2d_m, std::max(pair.high_m, kLeastHeight), std::max(pair.low_m, kLeastHeight)};
}

}  // namespace hilgate
