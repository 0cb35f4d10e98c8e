// SPDX-License-Identifier: Apache-2.0
// The ground between two antennas, for the models that compute a loss from it (itm.h, p1812.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace hilgate
