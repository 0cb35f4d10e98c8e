// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "rf_profiles/path_loss/tgpp_pair.h"

namespace hilgate {

class YamlReader;

/// The country (TR 38.901), LOS or NLOS as the scene says. A higher antenna above 10 m is an aerial terminal.
struct TgppRma {
  static constexpr std::string_view kName = "tgpp_rma";
  static constexpr double kAerialHeight = 10;  // m, where TR 36.777 takes over

  RuralSurroundings around;

  void read(YamlReader& loss);
  [[nodiscard]] double loss_db(const PairGeometry& pair, const Carrier& carrier) const {
    return pair.high_m > kAerialHeight ? rma_aerial_loss_db(tgpp_in_the_air(pair), carrier)
                                       : ground_loss_db(pair, carrier);
  }
  /// Both ends below kAerialHeight.
  [[nodiscard]] double ground_loss_db(const PairGeometry& pair, const Carrier& carrier) const {
    return rma_loss_db(tgpp_on_ground(pair), around, carrier);
  }
  void losses_db(const PairBatch& pairs, const Carrier& carrier, double* loss_db) const;
  [[nodiscard]] double line_of_sight_probability(const PairGeometry& pair) const {
    return pair.high_m > kAerialHeight ? rma_aerial_los_probability(pair.d2d_m, pair.high_m)
                                       : rma_los_probability(pair.d2d_m);
  }
};

}  // namespace hilgate
