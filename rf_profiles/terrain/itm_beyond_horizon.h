// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "rf_profiles/terrain/itm_path.h"

namespace hilgate {

/// A loss that is linear in the distance.
struct LossLine {
  double db_per_m = 0;
  double at_zero_db = 0;

  [[nodiscard]] double at(double distance_m) const { return db_per_m * distance_m + at_zero_db; }
};

/// The loss above that of free space of the path's terrain far beyond the horizon, at any distance: a mixture of
/// diffraction over two edges at the horizons and over a smooth earth, the rougher the more the former (ITM, 4.1).
LossLine itm_diffraction_line(const ItmPath& path);

/// The loss above that of free space in sight, at a distance other than the path's: two rays, and some of the
/// diffraction (ITM, eq. 4.43 to 4.50).
double itm_two_ray_db(const ItmPath& path, double distance_m, const LossLine& diffraction);

/// The loss above that of free space by scatter in the troposphere, at any distance (ITM, 4.3); nothing where
/// antennas are too low for it.
std::optional<LossLine> itm_scatter_line(const ItmPath& path);

}  // namespace hilgate
