// SPDX-License-Identifier: Apache-2.0
// ITU-R P.1812: the loss of a path over terrain, 30 MHz to 6 GHz, 0.25 to 3000 km, that is not exceeded for a share of
// the time and of the places. Free space with focusing, delta-Bullington diffraction, ducts and layers, scatter in the
// troposphere. Equations are numbered as in Recommendation ITU-R P.1812-8, annex 1. Outdoors: a building adds its
// entry loss (path_loss/building_entry.h).
#pragma once

#include "config/units.h"
#include "rf_profiles/terrain/terrain_profile.h"

namespace hilgate {

struct P1812Link {
  TerrainLink ends;  // heights 1 to 3000 m

  double time = 50;             // percent, 1 to 50: the loss is not exceeded in so much of the time
  double location = 50;         // percent, 1 to 99: and at so many places near the receiver
  Decibels location_spread{0};  // standard deviation over these places, 0 to 20 dB; not at sea
  double latitude_deg = 50;     // of the middle of the path, -90 to 90
  double lapse_rate = 45;       // delta N: refractivity lost in the lowest km, 1 to 150 N-units/km
  double refractivity = 325;    // N0, N-units at sea level, 250 to 450
};

/// Basic transmission loss between isotropic antennas. The covers of the profile are the heights of representative
/// clutter. Throws std::runtime_error, which names the value and what is allowed, when one is out of range.
Decibels p1812_loss(const P1812Link& link, const TerrainProfile& profile);

}  // namespace hilgate
