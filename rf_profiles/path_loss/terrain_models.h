// SPDX-License-Identifier: Apache-2.0
// Models over a profile of the ground between the two antennas. A gateway has it where its configuration names terrain
// (`physics.scene`); otherwise the ground is flat. Paths shorter than the model knows have free space, and the edge of
// the ground where it blocks their line of sight; of paths longer than it knows nothing arrives.
#pragma once

#include <cstdint>
#include <string_view>

#include "rf_profiles/numeric/decibel.h"
#include "rf_profiles/path_loss/distance_models.h"
#include "rf_profiles/path_loss/pair_geometry.h"
#include "rf_profiles/terrain/itm.h"
#include "rf_profiles/terrain/p1812.h"
#include "rf_profiles/terrain/terrain_profile.h"

namespace hilgate {

class YamlReader;

/// Longley and Rice, 1 to 2000 km, 20 MHz to 20 GHz; antennas 0.5 to 3000 m above ground.
struct Itm {
  static constexpr std::string_view kName = "itm";
  static constexpr double kShortest = 1000;  // m
  static constexpr double kLongest = 2e6;    // m

  ItmLink link;  // but for the ends' heights and the frequency

  void read(YamlReader& loss);
  /// Throws std::runtime_error for a carrier out of range.
  [[nodiscard]] double loss_db(const PairGeometry& pair, const Carrier& carrier) const;
};

/// ITU-R P.1812-8, 0.25 to 3000 km, 30 MHz to 6 GHz; antennas 1 to 3000 m above ground.
struct ItuP1812 {
  static constexpr std::string_view kName = "itu_p1812";
  static constexpr double kShortest = 250;  // m
  static constexpr double kLongest = 3e6;   // m

  P1812Link link;  // likewise

  void read(YamlReader& loss);
  /// Throws std::runtime_error for a carrier out of range.
  [[nodiscard]] double loss_db(const PairGeometry& pair, const Carrier& carrier) const;
};

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
