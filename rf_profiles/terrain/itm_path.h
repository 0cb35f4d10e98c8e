// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <complex>

#include "rf_profiles/terrain/itm.h"

namespace hilgate {

/// One end of a path as ITM sees it.
struct ItmEnd {
  double height_m = 0;     // above the ground
  double effective_m = 0;  // above the terrain that reflects
  double horizon_m = 0;    // distance
  double horizon_rad = 0;  // elevation
};

/// A path, from its terrain.
struct ItmPath {
  std::array<ItmEnd, 2> ends;
  double distance_m = 0;
  double roughness_m = 0;  // delta h
  bool over_profile = false;
  double earth_m = 0;       // effective radius of the earth
  double refractivity = 0;  // N-units at the height of the terrain
  double mhz = 0;
  std::complex<double> impedance;  // of the ground, relative

  /// Distance at which the horizons meet.
  [[nodiscard]] double sight_m() const { return ends[0].horizon_m + ends[1].horizon_m; }
  /// The same over a smooth earth.
  [[nodiscard]] double smooth_sight_m() const;
  /// Angle that the sight of both ends covers, rad (ITM, 3.7).
  [[nodiscard]] double sight_rad() const;
  /// Of the terrain along a part of the path (LR, eq. 3).
  [[nodiscard]] double roughness_over_m(double part_m) const;
  [[nodiscard]] double wave_number() const { return mhz / 47.7; }  // 1/m
};

/// Of the two, sqrt(2 h a).
double smooth_horizon_m(double height_m, double earth_m);

/// The range of the link and of the terrain is checked by the caller; the earth and the ground are checked here.
ItmPath itm_path(const ItmLink& link, const TerrainProfile& profile);
ItmPath itm_path(const ItmLink& link, const ItmArea& area);

/// The loss above that of free space that is not exceeded in the link's percentages, of the median `reference_db`
/// (ITM, section 5).
double itm_exceeded_db(const ItmPath& path, const ItmLink& link, double reference_db);

}  // namespace hilgate
