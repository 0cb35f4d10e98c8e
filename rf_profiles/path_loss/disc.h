// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "rf_profiles/numeric/decibel.h"
#include "rf_profiles/path_loss/pair_geometry.h"

namespace hilgate {

class YamlReader;

/// No loss within the range, none gets through beyond: the crudest of ROS-NetSim's four levels.
struct Disc {
  static constexpr std::string_view kName = "disc";

  double range_m = 100;

  void read(YamlReader& loss);
  [[nodiscard]] double loss_db(const PairGeometry& pair, const Carrier& /*carrier*/) const {
    constexpr double kBeyondRange = 300;  // dB, more than any receiver bears
    return pair.d3d_m <= range_m ? 0 : kBeyondRange;
  }
  [[nodiscard]] double least_loss_db(double d3d_m, double /*highest_m*/, const Carrier& carrier) const {
    return loss_db({.d3d_m = d3d_m}, carrier);
  }
};

}  // namespace hilgate
