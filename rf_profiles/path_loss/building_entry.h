// SPDX-License-Identifier: Apache-2.0
// Links into buildings: the loss outdoors, and that of the outer wall and of the way inside. One end of each pair is
// inside a building that the scene does not have; in a scene with walls these losses count twice.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "rf_profiles/numeric/decibel.h"
#include "rf_profiles/path_loss/pair_geometry.h"
#include "rf_profiles/path_loss/tgpp_models.h"

namespace hilgate {

class YamlReader;

/// Outer walls of TR 38.901, 7.4.3.1: 30 % plain glass and 70 % concrete, or 70 % coated glass and 30 % concrete.
enum class TgppBuilding : std::uint8_t { kLowLoss, kHighLoss };

/// The mean loss of entry of TR 38.901: the wall, and 0.5 dB for each metre behind it.
struct TgppEntry {
  TgppBuilding building = TgppBuilding::kLowLoss;
  double depth_m = 0;  // horizontal distance inside, part of the pair's distance

  void read(YamlReader& loss);
  [[nodiscard]] double db(const Carrier& carrier) const;
};

/// TR 38.901's UMi to a terminal inside, which is none in the air at any height.
struct TgppUmiO2i {
  static constexpr std::string_view kName = "tgpp_umi_o2i";

  TgppEntry entry;

  void read(YamlReader& loss) { entry.read(loss); }
  [[nodiscard]] double loss_db(const PairGeometry& pair, const Carrier& carrier) const {
    return umi_loss_db(tgpp_on_ground(pair), carrier) + entry.db(carrier);
  }
  [[nodiscard]] double least_loss_db(double d3d_m, double highest_m, const Carrier& carrier) const {
    return tgpp::least_los_loss_db(kUmiLos, d3d_m, std::max(highest_m, kLeastTgppHeight), carrier) + entry.db(carrier);
  }
  [[nodiscard]] static double equal_height_m(double high_m, double low_m, const Carrier& carrier) {
    return tgpp::equal_height_m(high_m, low_m, carrier);
  }
  [[nodiscard]] static double line_of_sight_probability(const PairGeometry& pair) {
    return umi_los_probability(pair.d2d_m);
  }
};

/// The same of UMa.
struct TgppUmaO2i {
  static constexpr std::string_view kName = "tgpp_uma_o2i";

  TgppEntry entry;

  void read(YamlReader& loss) { entry.read(loss); }
  [[nodiscard]] double loss_db(const PairGeometry& pair, const Carrier& carrier) const {
    return uma_loss_db(tgpp_on_ground(pair), carrier) + entry.db(carrier);
  }
  [[nodiscard]] double least_loss_db(double d3d_m, double highest_m, const Carrier& carrier) const {
    return tgpp::least_los_loss_db(kUmaLos, d3d_m, std::max(highest_m, kLeastTgppHeight), carrier) + entry.db(carrier);
  }
  [[nodiscard]] static double equal_height_m(double high_m, double low_m, const Carrier& carrier) {
    return tgpp::equal_height_m(high_m, low_m, carrier);
  }
  [[nodiscard]] static double line_of_sight_probability(const PairGeometry& pair) {
    return uma_los_probability(pair.d2d_m, tgpp_on_ground(pair).terminal_m);
  }
};

/// Buildings of ITU-R P.2109: thermally efficient ones have metallised glass or foil-backed panels.
enum class P2109Building : std::uint8_t { kTraditional, kThermallyEfficient };

/// Building entry loss in dB that is not exceeded with that probability (0 < p < 1), 80 MHz to 100 GHz, at that
/// elevation of the path at the wall, in degrees (ITU-R P.2109-2, annex 1, eq. 1 to 10).
double itu_p2109_loss_db(P2109Building building, double probability, double elevation_deg, const Carrier& carrier);

/// Free space, and the entry loss of P.2109 at the pair's elevation.
struct ItuP2109 {
  static constexpr std::string_view kName = "itu_p2109";

  P2109Building building = P2109Building::kTraditional;
  double probability = 0.5;

  void read(YamlReader& loss);
  [[nodiscard]] double loss_db(const PairGeometry& pair, const Carrier& carrier) const;
  /// A path that climbs loses no less.
  [[nodiscard]] double least_loss_db(double d3d_m, double /*highest_m*/, const Carrier& carrier) const {
    return friis_loss_db(d3d_m, carrier.hz) + itu_p2109_loss_db(building, probability, 0, carrier);
  }
};

}  // namespace hilgate
