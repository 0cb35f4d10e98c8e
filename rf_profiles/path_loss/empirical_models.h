// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "rf_profiles/numeric/decibel.h"
#include "rf_profiles/path_loss/pair_geometry.h"

namespace hilgate {

/// Two ends above flat ground; heights above ground, m.
struct GroundLink {
  double d2d_m = 0;
  double tx_height_m = 0;
  double rx_height_m = 0;
};

/// A pair as two-ray and Hata require it: antennas at least 0.1 m high.
inline GroundLink above_ground(const PairGeometry& pair) {
  constexpr double kLeastHeight = 0.1;  // m
  return {pair.d2d_m, std::max(pair.high_m, kLeastHeight), std::max(pair.low_m, kLeastHeight)};
}

class YamlReader;

enum class HataArea : std::uint8_t { kUrban, kSuburban, kOpen };
/// Okumura-Hata up to 1.5 GHz; 3-D distance.
Decibels okumura_hata_loss(HataArea area, bool large_city, double d3d_m, double base_m, double mobile_m,
                           Hertz frequency);

struct OkumuraHata {
  static constexpr std::string_view kName = "okumura_hata";

  HataArea area = HataArea::kUrban;
  bool large_city = false;

  void read(YamlReader& loss);
  [[nodiscard]] double loss_db(const PairGeometry& pair, const Carrier& carrier) const {
    const GroundLink link = above_ground(pair);
    return okumura_hata_loss(area, large_city, pair.d3d_m, link.tx_height_m, link.rx_height_m, carrier.frequency())
        .value;
  }
};

/// COST 231's extension of Hata, 1.5 to 2 GHz. `mobile_slope` is 1.1 in COST 231; ns-3.37 has 1.11.
Decibels cost231_loss(double d3d_m, double base_m, double mobile_m, Hertz frequency, double mobile_slope = 1.1);

struct Cost231 {
  static constexpr std::string_view kName = "cost231";

  [[nodiscard]] double loss_db(const PairGeometry& pair, const Carrier& carrier) const {
    const GroundLink link = above_ground(pair);
    return cost231_loss(pair.d3d_m, link.tx_height_m, link.rx_height_m, carrier.frequency()).value;
  }
};

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
