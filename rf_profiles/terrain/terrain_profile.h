// SPDX-License-Identifier: Apache-2.0
// The ground between two antennas, for the models that compute a loss from it (itm.h, p1812.h).
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/units.h"
#include "physics_link/height_grid.h"

namespace hilgate {

/// The zones of ITU-R P.1812, 3.3: sea and large lakes; land up to 100 m high within 50 km of the sea; all other land.
enum class TerrainZone : std::uint8_t { kSea, kCoast, kInland };

/// Heights at equal steps along the great circle from the transmitter to the receiver, the ends included.
struct TerrainProfile {
  double step_m = 0;
  std::vector<double> height_m;   // ground above sea level
  std::vector<double> cover_m;    // buildings and trees above the ground; empty: bare ground
  std::vector<TerrainZone> zone;  // empty: inland

  /// Of the path; needs one height at least.
  [[nodiscard]] double length_m() const { return step_m * static_cast<double>(height_m.size() - 1); }
};

/// Reads a CSV file: a header that names the columns `distance_m` and `height_m` and perhaps `cover_m` and `zone`
/// (sea, coast, inland), then a row for each place, from distance 0 at equal steps. Lines that begin with # are
/// comments. Throws ConfigError with file:line for each fault.
TerrainProfile read_terrain_profile(const std::string& file);

/// Throws std::runtime_error, which names `model`, unless the profile has a positive step, at least `least` heights,
/// all of them from -500 m to 9000 m, and as many covers (0 to 500 m) and zones as heights, or none.
void require_profile(std::string_view model, const TerrainProfile& profile, std::size_t least);

/// What a model takes.
struct TerrainLimits {
  double low = 0;
  double high = 0;
  std::string_view unit;
};
/// Throws std::runtime_error unless low <= value <= high: "ITM: the frequency is 10 MHz; allowed: 20 to 20000 MHz".
void require_within(std::string_view model, std::string_view what, double value, const TerrainLimits& allowed);

enum class Polarization : std::uint8_t { kHorizontal, kVertical };

/// The two antennas of a path over terrain; heights above the ground.
struct TerrainLink {
  double tx_height_m = 10;
  double rx_height_m = 2;
  Hertz frequency;
  Polarization polarization = Polarization::kVertical;

  [[nodiscard]] double mhz() const { return frequency.value / 1e6; }
  [[nodiscard]] double ghz() const { return frequency.value / 1e9; }
};

/// The value that a standard normal variable exceeds with probability `share` (0 < share < 1). M. Abramowitz,
/// I. A. Stegun, 26.2.23, as ITM and P.1812 have it: within 4.5e-4.
inline double exceeded_with(double share) {
  const double tail = share > 0.5 ? 1 - share : share;
  const double t = std::sqrt(-2 * std::log(tail));
  const double above =
      t - ((0.010328 * t + 0.802853) * t + 2.515517) / (((0.001308 * t + 0.189269) * t + 1.432788) * t + 1);
  return share > 0.5 ? -above : above;
}

// From the ground of a scene to the profile that models over terrain take.

/// The ground along the straight line over it from one point to another, above sea level, at equal steps no longer than
/// those of the grid, five heights at least and 2000 at most.
TerrainProfile ground_profile(const HeightGrid& ground, const Vec3& from, const Vec3& to);

/// Diffraction over the ground between two points where it blocks their line of sight: all that rises into the line as
/// one edge, where the steepest rays from both ends meet (K. Bullington, 1947; ITU-R P.526-15, 4.5.1, without its
/// empirical correction, which belongs to free space alone); at least 6 dB. Zero where the line is free.
Decibels ground_edge_loss(const HeightGrid& ground, const Vec3& from, const Vec3& to, Hertz frequency);

}  // namespace hilgate
