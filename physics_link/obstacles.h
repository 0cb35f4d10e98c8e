// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include "physics_link/buildings.h"
#include "physics_link/height_grid.h"
#include "physics_link/obstacle.h"

namespace hilgate {

/// Everything that stands between robots: the boxes of the configuration, the buildings and the ground of a scene.
/// Copies share the latter. Several threads may ask.
class Obstacles {
 public:
  Obstacles() = default;
  Obstacles(std::vector<Obstacle> boxes,  // NOLINT(google-explicit-constructor): boxes alone are obstacles
            std::shared_ptr<const Buildings> buildings = nullptr, std::shared_ptr<const HeightGrid> ground = nullptr)
      : boxes_(std::move(boxes)), buildings_(std::move(buildings)), ground_(std::move(ground)) {}
  Obstacles(std::initializer_list<Obstacle> boxes) : boxes_(boxes) {}

  [[nodiscard]] bool empty() const { return boxes_.empty() && buildings_ == nullptr && ground_ == nullptr; }
  [[nodiscard]] const std::vector<Obstacle>& boxes() const { return boxes_; }
  /// Null without.
  [[nodiscard]] const Buildings* buildings() const { return buildings_.get(); }
  [[nodiscard]] const std::shared_ptr<const HeightGrid>& ground() const { return ground_; }
  /// How high a point is above the ground, which is z = 0 without terrain, m.
  [[nodiscard]] double above_ground(const Vec3& place) const {
    return ground_ ? place.z - ground_->at(place.x, place.y) : place.z;
  }

  /// Appends what the straight ray crosses between a and b: of each obstacle in the order from a to b. True when it
  /// crosses a wall or the ground; the latter appends nothing.
  bool append_between(const Segment& ray, std::vector<WallCrossing>& walls) const;
  /// Likewise; `stays_m` becomes how far each end of the ray may move while the answer is the same and its walls lose
  /// the same (Buildings::append_lasting_crossings()): 0 without buildings, near a box, and over ground that no wall
  /// hides.
  bool append_between(const Segment& ray, std::vector<WallCrossing>& walls, double& stays_m) const;

 private:
  std::vector<Obstacle> boxes_;
  std::shared_ptr<const Buildings> buildings_;
  std::shared_ptr<const HeightGrid> ground_;
};

}  // namespace hilgate
