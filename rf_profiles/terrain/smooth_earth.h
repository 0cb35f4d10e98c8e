// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rf_profiles/terrain/terrain_profile.h"

namespace hilgate {

/// Over an earth without hills, of an effective radius; heights of the antennas above it, above 0.
struct SmoothEarthPath {
  double ghz = 0;
  double length_km = 0;
  double earth_km = 0;
  double tx_m = 0;
  double rx_m = 0;
};

/// Diffraction in dB above free space, with a share of the path over the sea (ITU-R P.526, 3.2, which is P.1812's 4.3.2
/// and 4.3.3; eq. 22 to 36 there).
double smooth_earth_loss_db(const SmoothEarthPath& path, double sea_share, Polarization polarization);

}  // namespace hilgate
