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

}  // namespace hilgate
