// SPDX-License-Identifier: Apache-2.0
// A pair of robots as 3GPP's reports see it: the higher antenna is the base station, the lower one the terminal (TR
// 38.901). From some height on the higher one is the aerial terminal of TR 36.777 instead.
#pragma once

#include <algorithm>

#include "rf_profiles/path_loss/pair_geometry.h"
#include "rf_profiles/path_loss/tgpp_36777.h"
#include "rf_profiles/path_loss/tgpp_38901.h"

namespace hilgate {

inline constexpr double kLeastTgppHeight = 1.5;  // m, of TR 38.901's terminals

inline TgppLink tgpp_on_ground(const PairGeometry& pair) {
  return {pair.d2d_m, pair.d3d_m, std::max(pair.high_m, kLeastTgppHeight), std::max(pair.low_m, kLeastTgppHeight),
          pair.line_of_sight};
}

inline TgppLink tgpp_in_the_air(const PairGeometry& pair) {
  return {pair.d2d_m, pair.d3d_m, std::max(pair.low_m, kLeastTgppHeight), pair.high_m, pair.line_of_sight};
}

}  // namespace hilgate
