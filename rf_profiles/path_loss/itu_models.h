// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "rf_profiles/numeric/decibel.h"
#include "rf_profiles/path_loss/hata_models.h"
#include "rf_profiles/path_loss/pair_geometry.h"

namespace hilgate {

class YamlReader;

/// ITU-R P.1238 indoors, with the floors between the ends.
enum class P1238Building : std::uint8_t { kResidential, kOffice, kCommercial };
Decibels itu_p1238_loss(P1238Building building, double d_m, unsigned floors, Hertz frequency);

struct ItuP1238 {
  static constexpr std::string_view kName = "itu_p1238";

  P1238Building building = P1238Building::kOffice;
  double storey_m = 3;  // floors between the ends: difference of heights in whole storeys

  void read(YamlReader& loss);
  [[nodiscard]] double loss_db(const PairGeometry& pair, const Carrier& carrier) const {
    const auto floors = static_cast<unsigned>((pair.high_m - pair.low_m) / storey_m + 0.5);
    return itu_p1238_loss(building, pair.d3d_m, floors, carrier.frequency()).value;
  }
  [[nodiscard]] double least_loss_db(double d3d_m, double /*highest_m*/, const Carrier& carrier) const {
    return itu_p1238_loss(building, d3d_m, 0, carrier.frequency()).value;
  }
};

/// ITU-R P.1411 in line of sight: mean of the lower and the upper bound; 3-D distance, heights of both ends.
Decibels itu_p1411_los_loss(double d3d_m, double height1_m, double height2_m, Hertz frequency);

struct ItuP1411 {
  static constexpr std::string_view kName = "itu_p1411_los";

  [[nodiscard]] double loss_db(const PairGeometry& pair, const Carrier& carrier) const {
    const GroundLink link = above_ground(pair);
    return itu_p1411_los_loss(pair.d3d_m, link.tx_height_m, link.rx_height_m, carrier.frequency()).value;
  }
};

/// Empirical, 2.6 GHz. For reference values only: no profile names it.
inline Decibels kun_2600_loss(double d3d_m) {
  return {36 + 26 * decades(d3d_m)};
}

}  // namespace hilgate
