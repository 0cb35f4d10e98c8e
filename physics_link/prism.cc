// SPDX-License-Identifier: Apache-2.0
#include "physics_link/prism.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace hilgate {
namespace {

/// Where the line through a segment passes a face; `cosine` of the angle to the face's normal.
struct FacePass {
  double t = 0;
  double cosine = 0;
};

/// The stretch of the line on which it is between base and top; empty unless enter.t < leave.t.
struct Level {
  FacePass enter;
  FacePass leave;
};

Level level_of(const Segment& ray, const Prism& prism, double length_m) {
  constexpr double kEverywhere = std::numeric_limits<double>::infinity();
  const double up = ray.b.z - ray.a.z;
  if (up == 0) {
    const bool between = prism.base_m < ray.a.z && ray.a.z < prism.top_m;
    return between ? Level{{-kEverywhere, 0}, {kEverywhere, 0}} : Level{{1, 0}, {0, 0}};
  }
  const double one = (prism.base_m - ray.a.z) / up;
  const double other = (prism.top_m - ray.a.z) / up;
  const double cosine = std::abs(up) / length_m;
  return {{std::min(one, other), cosine}, {std::max(one, other), cosine}};
}

// Calls visit(from, to) for each edge of the ground plan.
template <class Visit>
void visit_edges(const Prism& prism, const Visit& visit) {
  for (const GroundRing& ring : prism.rings) {
    for (std::size_t i = 0, before = ring.size() - 1; i < ring.size(); before = i++) {
      visit(ring[before], ring[i]);
    }
  }
}

bool is_over(const Prism& prism, double x, double y) {
  bool inside = false;
  visit_edges(prism, [&](const GroundPoint& from, const GroundPoint& to) {
    if ((from.y > y) != (to.y > y) && x < from.x + (y - from.y) / (to.y - from.y) * (to.x - from.x)) {
      inside = !inside;
    }
  });
  return inside;
}

// Passes of the line through the sides, by t. Of a corner that the line meets, one of the two edges counts, so that
// their number is even.
void find_passes(const Segment& ray, const Prism& prism, double length_m, std::vector<FacePass>& passes) {
  const double east = ray.b.x - ray.a.x;
  const double north = ray.b.y - ray.a.y;
  const double flat2 = east * east + north * north;
  const auto side = [&](const GroundPoint& at) { return east * (at.y - ray.a.y) - north * (at.x - ray.a.x); };
  passes.clear();
  visit_edges(prism, [&](const GroundPoint& from, const GroundPoint& to) {
    const double left = side(from);
    const double right = side(to);
    if ((left > 0) == (right > 0)) {
      return;
    }
    const double share = left / (left - right);
    const double along_x = to.x - from.x;
    const double along_y = to.y - from.y;
    const double x = from.x + share * along_x - ray.a.x;
    const double y = from.y + share * along_y - ray.a.y;
    const double across = std::abs(east * along_y - north * along_x) / std::sqrt(along_x * along_x + along_y * along_y);
    passes.push_back({(x * east + y * north) / flat2, across / length_m});
  });
  if (passes.size() == 2 && passes[1].t < passes[0].t) {  // of most outlines
    std::swap(passes[0], passes[1]);
  } else if (passes.size() > 2) {
    std::ranges::sort(passes, {}, &FacePass::t);
  }
}

double incidence_of(const FacePass& pass) {
  return std::acos(std::min(1.0, pass.cosine));
}

void append_stretch(const FacePass& enter, const FacePass& leave, const Prism& prism, double length_m,
                    std::vector<WallCrossing>& walls) {
  const double from = std::max(enter.t, 0.0);
  const double to = std::min(leave.t, 1.0);
  if (!(from < to)) {
    return;
  }
  const double chord_m = (to - from) * length_m;
  if (!prism.wall_m) {
    walls.push_back({prism.material, chord_m, incidence_of(enter.t > 0 ? enter : leave)});
    return;
  }
  for (const FacePass& pass : {enter, leave}) {
    if (pass.t > 0 && pass.t < 1) {
      const double through_m = pass.cosine * chord_m > *prism.wall_m ? *prism.wall_m / pass.cosine : chord_m;
      walls.push_back({prism.material, through_m, incidence_of(pass)});
    }
  }
}

/// A ground plan as the ray has it: `along` it from its first end, and to its left.
struct PlanSpan {
  double near_m = std::numeric_limits<double>::infinity();
  double far_m = -std::numeric_limits<double>::infinity();
  double right_m = std::numeric_limits<double>::infinity();  // the least to the left
  double left_m = -std::numeric_limits<double>::infinity();
  double vertex_m = std::numeric_limits<double>::infinity();  // of the vertex that is least to either side
};

PlanSpan span_along(const Segment& ray, const Prism& prism, double flat_m) {
  PlanSpan span;
  const double east = (ray.b.x - ray.a.x) / flat_m;
  const double north = (ray.b.y - ray.a.y) / flat_m;
  for (const GroundRing& ring : prism.rings) {
    for (const GroundPoint& point : ring) {
      const double x = point.x - ray.a.x;
      const double y = point.y - ray.a.y;
      const double along = east * x + north * y;
      const double left = east * y - north * x;
      span.near_m = std::min(span.near_m, along);
      span.far_m = std::max(span.far_m, along);
      span.right_m = std::min(span.right_m, left);
      span.left_m = std::max(span.left_m, left);
      span.vertex_m = std::min(span.vertex_m, std::abs(left));
    }
  }
  return span;
}

double edge_distance_m(const Prism& prism, const Vec3& place) {
  double least2 = std::numeric_limits<double>::infinity();
  visit_edges(prism, [&](const GroundPoint& from, const GroundPoint& to) {
    const double along_x = to.x - from.x;
    const double along_y = to.y - from.y;
    const double x = place.x - from.x;
    const double y = place.y - from.y;
    const double length2 = along_x * along_x + along_y * along_y;
    const double share = length2 > 0 ? std::clamp((x * along_x + y * along_y) / length2, 0.0, 1.0) : 0;
    const double off_x = x - share * along_x;
    const double off_y = y - share * along_y;
    least2 = std::min(least2, off_x * off_x + off_y * off_y);
  });
  return std::sqrt(least2);
}

// With the ray between base and top all over the ground plan. Which edges it crosses changes where a vertex comes upon
// it, or one of its ends upon an edge. Of a convex plan the vertices farthest to the left and to the right suffice:
// while neither they nor an end come so far, the ray crosses the line between these two.
PrismStay stay_between(const Segment& ray, const Prism& prism, bool is_convex, const PlanSpan& span, double flat_m) {
  const double beyond_m = std::min(span.near_m, flat_m - span.far_m);
  if (beyond_m > 0) {
    const double sides_m = is_convex ? std::min(span.left_m, -span.right_m) : span.vertex_m;
    return {std::min(beyond_m, sides_m), is_convex};
  }
  const double ends_m = std::min(edge_distance_m(prism, ray.a), edge_distance_m(prism, ray.b));
  const bool from_inside = is_over(prism, ray.a.x, ray.a.y);
  const bool to_inside = is_over(prism, ray.b.x, ray.b.y);
  if (!is_convex || (!from_inside && !to_inside)) {
    return {std::min(ends_m, span.vertex_m), false};
  }
  return {ends_m, from_inside != to_inside || !prism.wall_m};
}

}  // namespace

void append_crossings(const Segment& ray, const Prism& prism, std::vector<WallCrossing>& walls) {
  const double length_m = ray.length();
  const Level level = level_of(ray, prism, length_m);
  if (!(level.enter.t < level.leave.t) || level.enter.t >= 1 || level.leave.t <= 0) {
    return;
  }
  if (ray.a.x == ray.b.x && ray.a.y == ray.b.y) {
    if (is_over(prism, ray.a.x, ray.a.y) && length_m > 0) {
      append_stretch(level.enter, level.leave, prism, length_m, walls);
    }
    return;
  }
  thread_local std::vector<FacePass> passes;
  find_passes(ray, prism, length_m, passes);
  for (std::size_t i = 0; i + 1 < passes.size(); i += 2) {
    append_stretch(passes[i].t > level.enter.t ? passes[i] : level.enter,
                   passes[i + 1].t < level.leave.t ? passes[i + 1] : level.leave, prism, length_m, walls);
  }
}

PrismStay stay_of(const Segment& ray, const Prism& prism, bool is_convex) {
  const double east = ray.b.x - ray.a.x;
  const double north = ray.b.y - ray.a.y;
  const double flat_m = std::sqrt(east * east + north * north);
  if (!(flat_m > 0)) {
    return {};
  }
  const PlanSpan span = span_along(ray, prism, flat_m);
  // A point of the moved ray that is over the plan was no farther from there than the ends have moved.
  const auto height_at = [&](double along_m) {
    return ray.a.z + std::clamp(along_m / flat_m, 0.0, 1.0) * (ray.b.z - ray.a.z);
  };
  const auto [low_m, high_m] =
      std::minmax({height_at(span.near_m - kLongestStay), height_at(span.far_m + kLongestStay)});
  const double apart_m = std::max(
      {span.right_m, -span.left_m, span.near_m - flat_m, -span.far_m, low_m - prism.top_m, prism.base_m - high_m});
  if (apart_m > 0) {
    return {std::min(apart_m, kLongestStay), false};
  }
  const double level_m = std::min(low_m - prism.base_m, prism.top_m - high_m);
  if (!(level_m > 0)) {
    return {};
  }
  const PrismStay flat = stay_between(ray, prism, is_convex, span, flat_m);
  return {std::min({flat.move_m, level_m, kLongestStay}), flat.crosses};
}

bool is_convex(const Prism& prism) {
  if (prism.rings.size() != 1) {
    return false;
  }
  // All turns to one side, and once around in all.
  double around = 0;
  bool turns_left = false;
  bool turns_right = false;
  const GroundRing& ring = prism.rings.front();
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const GroundPoint& at = ring[i];
    const GroundPoint& next = ring[(i + 1) % ring.size()];
    const GroundPoint& after = ring[(i + 2) % ring.size()];
    const double turn = std::remainder(
        std::atan2(after.y - next.y, after.x - next.x) - std::atan2(next.y - at.y, next.x - at.x), 2 * M_PI);
    turns_left = turns_left || turn > 0;
    turns_right = turns_right || turn < 0;
    around += turn;
  }
  return turns_left != turns_right && std::abs(around) < 3 * M_PI;
}

}  // namespace hilgate
