// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "rf_profiles/numeric/decibel.h"
#include "rf_profiles/path_loss/distance_models.h"
#include "rf_profiles/path_loss/pair_geometry.h"
#include "rf_profiles/terrain/terrain_link.h"

namespace hilgate {

class YamlReader;

/// Free space, and diffraction over the curved earth (ITU-R P.526, 3.2) in a standard atmosphere: for links between
/// masts, ships and aircraft beyond the horizon or near it. 10 MHz and up; antennas at least 0.1 m high.
struct ItuP526 {
  static constexpr std::string_view kName = "itu_p526_earth";

  bool over_sea = false;
  Polarization polarization = Polarization::kVertical;

  void read(YamlReader& loss);
  [[nodiscard]] double loss_db(const PairGeometry& pair, const Carrier& carrier) const;
  [[nodiscard]] static double least_loss_db(double d3d_m, double /*highest_m*/, const Carrier& carrier) {
    return friis_loss_db(d3d_m, carrier.hz);
  }
};

}  // namespace hilgate
