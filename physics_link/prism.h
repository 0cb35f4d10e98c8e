// SPDX-License-Identifier: Apache-2.0
// Buildings: upright prisms over a ground plan.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "physics_link/ray_box.h"
#include "physics_link/scene.h"

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
  // What a crossing loses at any frequency, thickness and angle; absent: that depends.
  std::optional<double> fixed_loss_db;
};

/// Appends what the straight ray crosses between a and b, in the order from a to b: of a solid prism one crossing for
/// each stretch inside, as long as the chord; of a hollow one a crossing of the wall or roof on the way in, and one on
/// the way out.
void append_crossings(const Segment& ray, const Prism& prism, std::vector<WallCrossing>& walls);

/// What remains of a ray's view of a prism while its ends move.
struct PrismStay {
  double move_m = 0;     // as far as each end may move while the number of crossings is the same; kLongestStay at most
  bool crosses = false;  // certainly, over all of that
};
inline constexpr double kLongestStay = 4;  // m
/// A lower bound by separating lines and by the vertices on both sides of the ray: 0 where the ray passes a roof.
/// `is_convex`: the ground plan has one ring and no corner inwards.
PrismStay stay_of(const Segment& ray, const Prism& prism, bool is_convex);
/// Whether that holds.
bool is_convex(const Prism& prism);

}  // namespace hilgate
