// SPDX-License-Identifier: Apache-2.0
#include "physics_link/obstacles.h"

#include <algorithm>
#include <limits>

namespace hilgate {
namespace {

/// By how much a ray and a box are apart on one of the three axes at least; 0 where they are not.
double apart_m(const Segment& ray, const Box& box) {
  const auto on_axis = [](double a, double b, double low, double high) {
    return std::max(low - std::max(a, b), std::min(a, b) - high);
  };
  return std::max({on_axis(ray.a.x, ray.b.x, box.low.x, box.high.x), on_axis(ray.a.y, ray.b.y, box.low.y, box.high.y),
                   on_axis(ray.a.z, ray.b.z, box.low.z, box.high.z), 0.0});
}

}  // namespace

bool Obstacles::append_between(const Segment& ray, std::vector<WallCrossing>& walls) const {
  const std::size_t before = walls.size();
  for (const Obstacle& box : boxes_) {
    append_crossings(ray, box, walls);
  }
  if (buildings_) {
    buildings_->append_crossings(ray, walls);
  }
  return walls.size() > before || (ground_ && ground_->blocks(ray));
}

bool Obstacles::append_between(const Segment& ray, std::vector<WallCrossing>& walls, double& stays_m) const {
  const std::size_t before = walls.size();
  double off_m = std::numeric_limits<double>::infinity();  // the boxes
  for (const Obstacle& box : boxes_) {
    append_crossings(ray, box, walls);
    off_m = std::min(off_m, apart_m(ray, box.box));
  }
  stays_m = buildings_ ? std::min(off_m, buildings_->append_lasting_crossings(ray, walls)) : 0;
  if (walls.size() > before) {
    return true;  // wherever the ground is
  }
  stays_m = ground_ ? 0 : stays_m;
  return ground_ && ground_->blocks(ray);
}

}  // namespace hilgate
