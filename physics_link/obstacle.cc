// SPDX-License-Identifier: Apache-2.0
#include "physics_link/obstacle.h"

#include <algorithm>

namespace hilgate {
namespace {

struct Stretch {
  double from = 0;
  double to = 0;
  int axis = 0;  // of the face entered; of the face left when the ray begins inside
};

void append(const Segment& ray, const Stretch& stretch, std::uint32_t material, std::vector<WallCrossing>& walls) {
  const double from = std::max(stretch.from, 0.0);
  const double to = std::min(stretch.to, 1.0);
  if (from < to) {
    walls.push_back({material, (to - from) * ray.length(), ray.angle_to_axis(stretch.axis)});
  }
}

std::optional<Box> inside_of(const Obstacle& obstacle) {
  const Box& box = obstacle.box;
  const double wall = obstacle.wall_m.value_or(0);
  const Box inner{{box.low.x + wall, box.low.y + wall, box.low.z + wall},
                  {box.high.x - wall, box.high.y - wall, box.high.z - wall}};
  const bool hollow =
      wall > 0 && inner.low.x < inner.high.x && inner.low.y < inner.high.y && inner.low.z < inner.high.z;
  return hollow ? std::make_optional(inner) : std::nullopt;
}

}  // namespace

void append_crossings(const Segment& ray, const Obstacle& obstacle, std::vector<WallCrossing>& walls) {
  const std::optional<Chord> outer = chord_of(ray, obstacle.box);
  if (!outer || outer->enter >= 1 || outer->leave <= 0) {
    return;
  }
  const std::optional<Box> inside = inside_of(obstacle);
  const std::optional<Chord> inner = inside ? chord_of(ray, *inside) : std::nullopt;
  const int entered = outer->enter > 0 ? outer->enter_axis : outer->leave_axis;
  if (!inner) {
    append(ray, {outer->enter, outer->leave, entered}, obstacle.material, walls);
    return;
  }
  append(ray, {outer->enter, inner->enter, outer->enter_axis}, obstacle.material, walls);
  append(ray, {inner->leave, outer->leave, inner->leave_axis}, obstacle.material, walls);
}

}  // namespace hilgate
