// SPDX-License-Identifier: Apache-2.0
// Antenna gain by direction, in the antenna's own frame: x is forwards, y to the left, z up. The same for sending and
// receiving. The profile's `antenna_gain` is added.
#pragma once

#include <variant>
#include <vector>

#include "config/units.h"
#include "physics_link/scene.h"

namespace hilgate {

/// The same to all sides: 0 dBi.
struct IsotropicPattern {
  [[nodiscard]] static Decibels gain(const Vec3&) { return {}; }
};

/// A half-wave dipole along z: 1.643 (cos(pi/2 cos t) / sin t)^2 with t from its axis (C. A. Balanis, "Antenna
/// Theory", 4.6). 2.16 dBi abeam; along the axis no less than kLeastGain.
struct DipolePattern {
  [[nodiscard]] static Decibels gain(const Vec3& to);
};

/// A sector that looks forwards (3GPP TR 38.901, table 7.3-1): -12 (a / width)^2 dB at `a` off in azimuth, likewise in
/// elevation, together no less than `front_to_back` below `peak`.
struct SectorPattern {
  Decibels peak{8};
  Radians width{1.1344640137963142};   // where it is 3 dB down, from side to side; 65 degrees
  Radians height{1.1344640137963142};  // from top to bottom
  Decibels front_to_back{30};
  [[nodiscard]] Decibels gain(const Vec3& to) const;
};

/// Measured gains on a grid of azimuths and elevations, linear in dB between them; azimuths go round.
struct TablePattern {
  std::vector<double> azimuths_deg;    // rising, within [-180, 180]
  std::vector<double> elevations_deg;  // rising, within [-90, 90]
  std::vector<double> gains_db;        // by elevation, and by azimuth within it
  [[nodiscard]] Decibels gain(const Vec3& to) const;
};

using AntennaPattern = std::variant<IsotropicPattern, DipolePattern, SectorPattern, TablePattern>;

inline constexpr Decibels kLeastGain{-40};  // of a null, which reflections fill up

/// Towards a direction of any length but 0.
Decibels gain_in(const AntennaPattern& pattern, const Vec3& to);
/// No direction has more.
Decibels greatest_gain(const AntennaPattern& pattern);
bool is_isotropic(const AntennaPattern& pattern);

}  // namespace hilgate
