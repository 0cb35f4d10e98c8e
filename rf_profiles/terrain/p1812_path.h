// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "rf_profiles/terrain/p1812.h"

namespace hilgate {

/// One end of a path as P.1812 sees it; heights above sea level.
struct P1812End {
  double antenna_m = 0;
  double smooth_m = 0;      // of the smooth earth that diffraction takes (eq. 91)
  double duct_m = 0;        // antenna above the smooth earth that ducts take (eq. 94)
  double horizon_km = 0;    // distance; in sight to the Bullington point
  double horizon_mrad = 0;  // elevation
  double coast_km = 0;      // over land to the sea; very far on a path over land
};

/// Profile and path in the units of the equations.
struct P1812Path {
  double ghz = 0;
  double length_km = 0;
  double earth_km = 0;           // median effective radius (eq. 7a)
  double anomalous_percent = 0;  // beta 0 (eq. 5)
  double sea_share = 0;          // omega (eq. 1)
  double inland_km = 0;          // longest part
  double angle_mrad = 0;         // theta (eq. 84)
  double roughness_m = 0;        // h m (eq. 95)
  P1812End tx;
  P1812End rx;
  std::vector<double> distance_km;
  std::vector<double> ground_m;   // h
  std::vector<double> covered_m;  // g: with cover, but not at the ends
};

/// Sections 3 and 5 and attachment 1. The ranges are checked by the caller.
P1812Path p1812_path(const P1812Link& link, const TerrainProfile& profile);

/// The diffraction parameter of the place at `km` with ground at `height_m` over an earth of that radius, for a path
/// whose ends are at these heights (eq. 15).
struct P1812Sight {
  double length_km = 0;
  double tx_m = 0;
  double rx_m = 0;
  double earth_km = 0;
  double ghz = 0;

  /// Bulge of the earth, m.
  [[nodiscard]] double bulge_m(double km) const;
  /// Parameter of an edge that high above sea level, the bulge included.
  [[nodiscard]] double edge(double km, double top_m) const;
};

}  // namespace hilgate
