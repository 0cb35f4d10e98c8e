// SPDX-License-Identifier: Apache-2.0
// Rays through a grid map: straight ones for the walls between two cells, reflected ones for where power comes from.
#pragma once

#include <cstdint>
#include <vector>

#include "rf_profiles/survey/grid_map.h"
#include "rf_profiles/survey/shape_factors.h"

namespace hilgate {

/// Attenuation of the walls between two cells along the integer line that joins them (J. E. Bresenham, 1965), walked
/// from the cell of lower index so that both directions agree. A line steps diagonally through walls that are joined by
/// corners alone. The wall a line begins in does not count, unless it counts by the cell.
class WallWalker {
 public:
  explicit WallWalker(const GridMap& map);
  static constexpr double kUnitDb = 0.5;  // of what is kept
  static constexpr std::uint8_t kMost = 255;

  /// In units of kUnitDb, at most kMost.
  [[nodiscard]] std::uint8_t between(std::uint32_t from, std::uint32_t to) const;

 private:
  const GridMap& map_;
  std::size_t materials_;
  std::vector<std::uint16_t> step_;  // cost of going from a cell of one material to the next, by both
};

/// What arrives at one position from one sender.
struct Arrival {
  AngularMoments moments;
  double direct = 0;  // power that has met no reflecting wall
  double power = 0;   // all of it

  [[nodiscard]] double direct_share() const { return power > 0 ? direct / power : 1; }
};

struct TraceSettings {
  std::uint32_t rays = 720;
  std::uint32_t reflections = 3;
  double faintest = 1e-6;   // share of the power sent along a ray below which it is given up
  std::uint32_t block = 4;  // cells along the side of a receiving block
};

/// Blocks along a side of so many cells.
constexpr std::uint32_t blocks_along(std::uint32_t cells, std::uint32_t block) {
  return cells / block + (cells % block > 0 ? 1 : 0);
}

/// Sends rays all around from the middle of a block and follows them as walls reflect them (as dielectrics, E-field
/// upright: ITU-R P.2040-3) and let them through (less the wall's loss). The power that each block receives is the sum
/// over rays of weight x way through the block / way so far: that of waves that spread in space. By block, from the
/// south-west.
std::vector<Arrival> trace_from(const GridMap& map, std::uint32_t sender_block, const TraceSettings& settings);

/// The same rays as one block receives them, each where it comes from: its Arrival is their sum.
std::vector<Ray> rays_between(const GridMap& map, std::uint32_t sender_block, std::uint32_t receiver_block,
                              const TraceSettings& settings);

}  // namespace hilgate
