// SPDX-License-Identifier: Apache-2.0
// The Irregular Terrain Model of A. G. Longley and P. L. Rice, 20 MHz to 20 GHz, 1 to 2000 km, over a height profile
// or over terrain of which the roughness alone is known.
//
// Sources: G. A. Hufford, "The ITS Irregular Terrain Model, version 1.2.2: The Algorithm", 1985 (ITM, by section);
// A. G. Longley, P. L. Rice, ESSA ERL 79-ITS 67, 1968 (LR); P. L. Rice et al., NBS Technical Note 101, 1967 (TN101);
// L. E. Vogler, 1964; values and corrections as in the NTIA's own program, https://github.com/NTIA/itm, public domain.
#pragma once

#include <cstdint>

#include "config/units.h"
#include "rf_profiles/terrain/terrain_profile.h"

namespace hilgate {

enum class ItmClimate : std::uint8_t {
  kEquatorial,
  kContinentalSubtropical,
  kMaritimeSubtropical,
  kDesert,
  kContinentalTemperate,
  kMaritimeTemperateLand,
  kMaritimeTemperateSea,
};

/// What the percentages are about (G. A. Hufford et al., NTIA TR-82-100, 1982, section 2.4).
enum class ItmVariability : std::uint8_t {
  kSingleMessage,  // situation alone
  kAccidental,     // time and situation
  kMobile,         // time, with location in it, and situation
  kBroadcast,      // time, location and situation
};

/// Everything but the terrain.
struct ItmLink {
  TerrainLink ends;  // heights 0.5 to 3000 m

  ItmClimate climate = ItmClimate::kContinentalTemperate;
  double refractivity = 301;    // N-units at sea level, 250 to 400
  double permittivity = 15;     // relative, of the ground; at least 1
  double conductivity = 0.005;  // S/m, of the ground; above 0

  ItmVariability variability = ItmVariability::kBroadcast;
  bool location_varies = true;
  bool situation_varies = true;
  // In percent, between 0 and 100: the loss is not exceeded in so much of the time, of places, of situations.
  double time = 50;
  double location = 50;
  double situation = 50;
};

/// How a site was chosen, which is how much higher an antenna stands than the terrain around (ITM, 3.1).
enum class ItmSiting : std::uint8_t { kRandom, kCareful, kVeryCareful };

/// A path over terrain of known roughness.
struct ItmArea {
  double distance_m = 1000;  // above 0
  double roughness_m = 90;   // delta h: the heights' range without the upper and the lower tenth
  ItmSiting tx_siting = ItmSiting::kRandom;
  ItmSiting rx_siting = ItmSiting::kRandom;
};

/// Basic transmission loss between isotropic antennas. Throws std::runtime_error, which names the value and what is
/// allowed, when a value is out of range or the terrain is none that the model knows.
Decibels itm_loss(const ItmLink& link, const TerrainProfile& profile);
Decibels itm_area_loss(const ItmLink& link, const ItmArea& area);

}  // namespace hilgate
