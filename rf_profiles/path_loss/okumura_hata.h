// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "rf_profiles/numeric/decibel.h"
#include "rf_profiles/path_loss/ground_link.h"

namespace hilgate {

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

}  // namespace hilgate
