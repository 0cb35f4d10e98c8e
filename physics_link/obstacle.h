// SPDX-License-Identifier: Apache-2.0
// Things that stand between robots: boxes of one material, solid or hollow.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "physics_link/ray_box.h"
#include "physics_link/scene.h"

namespace hilgate {

struct Obstacle {
  Box box;
  std::uint32_t material = 0;    // index into the run's list of materials
  std::optional<double> wall_m;  // thickness of the outer walls of a hollow building; absent: solid
};

/// Appends what the straight ray crosses between a and b, in the order from a to b. A solid box is one crossing, as
/// long as the chord. A hollow one is a crossing on the way in and one on the way out; a ray that stays within the
/// walls (a corner) is one crossing. Walls of half an edge or more make the box solid.
void append_crossings(const Segment& ray, const Obstacle& obstacle, std::vector<WallCrossing>& walls);

}  // namespace hilgate
