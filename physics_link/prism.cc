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

}  // namespace hilgate
