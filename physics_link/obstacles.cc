// SPDX-License-Identifier: Apache-2.0
#include "physics_link/obstacles.h"

#include <algorithm>
#include <limits>
#include <utility>

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

namespace {

bool has_losses(const std::vector<Path>& paths) {
  return std::any_of(paths.begin(), paths.end(), [](const Path& path) {
    return std::any_of(path.begin(), path.end(), [](const PathPoint& point) { return point.loss_db > 0; });
  });
}

}  // namespace

void ObstructedPhysics::open(Listener listener) {
  listener_ = std::move(listener);
  Listener wrapped = listener_;
  wrapped.ended = [this](PhysicsAnswer& answer) {
    if (answer.has_scene) {
      obstruct(answer.scene);
    }
    listener_.ended(answer);
  };
  physics_->open(std::move(wrapped));
}

void ObstructedPhysics::obstruct(Scene& scene) {
  const Sights& seen = scene.sights;
  std::size_t pair = 0;  // by their higher end first, then by the lower
  for (std::size_t high = 1; high < scene.robots.size(); ++high) {
    for (std::size_t low = 0; low < high; ++low, ++pair) {
      if (has_losses(seen[pair].paths)) {
        continue;
      }
      walls_.clear();
      const Segment ray{scene.robots[low].position, scene.robots[high].position};
      if (obstacles_.append_between(ray, walls_)) {
        Sight& sight = scene.sights[pair];
        sight.line_of_sight = false;
        sight.walls.insert(sight.walls.end(), walls_.begin(), walls_.end());
        sight.paths.clear();
      }
    }
  }
}

}  // namespace hilgate
