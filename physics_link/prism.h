// SPDX-License-Identifier: Apache-2.0
// Buildings: upright prisms over a ground plan.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "physics_link/ray_box.h"
#include "physics_link/sights.h"

namespace hilgate {

/// East and north, metres.
struct GroundPoint {
  double x = 0;
  double y = 0;
  friend bool operator==(const GroundPoint&, const GroundPoint&) = default;
};

/// A closed line, whose last point is joined to the first; at least three points.
using GroundRing = std::vector<GroundPoint>;

struct Prism {
  std::vector<GroundRing> rings;  // outlines and courtyards: inside is what an odd number of them encloses
  double base_m = 0;              // below top_m
  double top_m = 0;
  std::uint32_t material = 0;    // index into the run's list of materials
  std::optional<double> wall_m;  // thickness of the outer walls and the roof; absent: solid
  double least_loss_db = 0;      // that each crossing has at any frequency; 0: not known
};

/// Appends what the straight ray crosses between a and b, in the order from a to b: of a solid prism one crossing for
/// each stretch inside, as long as the chord; of a hollow one a crossing of the wall or roof on the way in, and one on
/// the way out.
void append_crossings(const Segment& ray, const Prism& prism, std::vector<WallCrossing>& walls);

}  // namespace hilgate
