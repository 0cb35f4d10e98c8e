// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "rf_profiles/path_loss/tgpp_pair.h"

namespace hilgate {

/// Street canyons of cities (TR 38.901), LOS or NLOS as the scene says. A higher antenna above 22.5 m is an aerial
/// terminal.
struct TgppUmi {
  static constexpr std::string_view kName = "tgpp_umi";
  static constexpr double kAerialHeight = 22.5;  // m, where TR 36.777 takes over

  [[nodiscard]] double loss_db(const PairGeometry& pair, const Carrier& carrier) const {
    return pair.high_m > kAerialHeight ? umi_aerial_loss_db(tgpp_in_the_air(pair), carrier)
                                       : ground_loss_db(pair, carrier);
  }
  /// Both ends below kAerialHeight.
  [[nodiscard]] double ground_loss_db(const PairGeometry& pair, const Carrier& carrier) const {
    return umi_loss_db(tgpp_on_ground(pair), carrier);
  }
  /// Out of sight it is no less than in sight, and in the air no less than in free space.
  [[nodiscard]] static double least_loss_db(double d3d_m, double highest_m, const Carrier& carrier) {
    const double ground =
        tgpp::least_los_loss_db(kUmiLos, d3d_m, std::clamp(highest_m, kLeastTgppHeight, kAerialHeight), carrier);
    return highest_m > kAerialHeight ? std::min(ground, friis_loss_db(d3d_m, carrier.hz)) : ground;
  }
  [[nodiscard]] static double equal_height_m(double high_m, double low_m, const Carrier& carrier) {
    return high_m > kAerialHeight ? high_m : tgpp::equal_height_m(high_m, low_m, carrier);
  }
  void losses_db(const PairBatch& pairs, const Carrier& carrier, double* loss_db) const;
  [[nodiscard]] double line_of_sight_probability(const PairGeometry& pair) const {
    return pair.high_m > kAerialHeight ? umi_aerial_los_probability(pair.d2d_m, pair.high_m)
                                       : umi_los_probability(pair.d2d_m);
  }
};

}  // namespace hilgate
