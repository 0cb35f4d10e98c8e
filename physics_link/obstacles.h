// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "physics_link/buildings.h"
#include "physics_link/height_grid.h"
#include "physics_link/physics_simulator.h"
#include "physics_link/ray_box.h"
#include "physics_link/scene.h"

namespace hilgate {

// Things that stand between robots: boxes of one material, solid or hollow.

struct Obstacle {
  Box box;
  std::uint32_t material = 0;    // index into the run's list of materials
  std::optional<double> wall_m;  // thickness of the outer walls of a hollow building; absent: solid
};

/// Appends what the straight ray crosses between a and b, in the order from a to b. A solid box is one crossing, as
/// long as the chord. A hollow one is a crossing on the way in and one on the way out; a ray that stays within the
/// walls (a corner) is one crossing. Walls of half an edge or more make the box solid.
void append_crossings(const Segment& ray, const Obstacle& obstacle, std::vector<WallCrossing>& walls);

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

/// Obstacles of the configuration in the world of any physics: what stands on the straight line between two robots
/// comes into its scenes as walls. A pair whose traced paths have losses stays as physics has it, which knows what they
/// cross; paths without losses are geometry alone, and give way to the walls.
class ObstructedPhysics final : public PhysicsSimulator {
 public:
  ObstructedPhysics(std::unique_ptr<PhysicsSimulator> physics, Obstacles obstacles)
      : physics_(std::move(physics)), obstacles_(std::move(obstacles)) {}

  void open(Listener listener) override;
  void begin(const PhysicsQuestion& question) override { physics_->begin(question); }
  [[nodiscard]] SimTime unchanged_until(SimTime from) const override { return physics_->unchanged_until(from); }
  [[nodiscard]] bool answering() const override { return physics_->answering(); }
  void close() override { physics_->close(); }

 private:
  void obstruct(Scene& scene);

  std::unique_ptr<PhysicsSimulator> physics_;
  Obstacles obstacles_;
  std::vector<WallCrossing> walls_;  // of one pair, while it is looked at
  Listener listener_;
};

}  // namespace hilgate
