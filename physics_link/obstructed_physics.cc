// SPDX-License-Identifier: Apache-2.0
#include "physics_link/obstructed_physics.h"

#include <algorithm>
#include <utility>

namespace hilgate {
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
