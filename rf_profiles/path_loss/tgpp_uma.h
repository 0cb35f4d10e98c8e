// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "rf_profiles/path_loss/tgpp_pair.h"

namespace hilgate {

/// Base stations above the roofs of cities (TR 38.901), LOS or NLOS as the scene says. A higher antenna above 22.5 m is
/// an aerial terminal.
struct TgppUma {
  static constexpr std::string_view kName = "tgpp_uma";
  static constexpr double kAerialHeight = 22.5;  // m, where TR 36.777 takes over

  [[nodiscard]] double loss_db(const PairGeometry& pair, const Carrier& carrier) const {
    return pair.high_m > kAerialHeight ? uma_aerial_loss_db(tgpp_in_the_air(pair), carrier)
                                       : ground_loss_db(pair, carrier);
  }
  /// Both ends below kAerialHeight.
  [[nodiscard]] double ground_loss_db(const PairGeometry& pair, const Carrier& carrier) const {
    return uma_loss_db(tgpp_on_ground(pair), carrier);
  }
  /// Out of sight it is no less than in sight, but in the air: there the highest terminal loses least.
  [[nodiscard]] static double least_loss_db(double d3d_m, double highest_m, const Carrier& carrier) {
    const double ground =
        tgpp::least_los_loss_db(kUmaLos, d3d_m, std::clamp(highest_m, kLeastTgppHeight, kAerialHeight), carrier);
    if (highest_m <= kAerialHeight) {
      return ground;
    }
    TgppLink link{.d2d_m = d3d_m, .d3d_m = d3d_m, .base_m = kLeastTgppHeight, .terminal_m = highest_m};
    const double sight = uma_aerial_loss_db(link, carrier);
    link.line_of_sight = false;
    return std::min({ground, sight, uma_aerial_loss_db(link, carrier)});
  }
  [[nodiscard]] static double equal_height_m(double high_m, double low_m, const Carrier& carrier) {
    return high_m > kAerialHeight ? high_m : tgpp::equal_height_m(high_m, low_m, carrier);
  }
  void losses_db(const PairBatch& pairs, const Carrier& carrier, double* loss_db) const;
  [[nodiscard]] double line_of_sight_probability(const PairGeometry& pair) const {
    return pair.high_m > kAerialHeight ? uma_aerial_los_probability(pair.d2d_m, pair.high_m)
                                       : uma_los_probability(pair.d2d_m, pair.low_m);
  }
};

}  // namespace hilgate
