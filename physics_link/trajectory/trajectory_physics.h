// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "physics_link/obstacles.h"
#include "physics_link/physics.h"
#include "physics_link/trajectory/track.h"

namespace hilgate {

/// The embedded physics: robots follow their tracks, independent of the air, among static obstacles. Robots turn where
/// their waypoints have a yaw. After the first scene, scene_at() allocates only when more pairs are out of sight, or a
/// ray crosses more walls, than before.
class TrajectoryPhysics final : public Physics {
 public:
  /// `tracks` by RobotIndex. What lies between two robots that are both not in `here` is not looked for; empty: all
  /// are. Throws std::runtime_error for tracks TrackCursor does not take and for boxes without extent, naming the
  /// index.
  TrajectoryPhysics(std::vector<Track> tracks, Obstacles obstacles, std::vector<bool> here = {});

  void scene_at(SimTime at, Scene& scene) override {
    place(at, scene);
    look(scene);
  }

  [[nodiscard]] SimTime still_until(SimTime at) const override;

  /// The two halves of scene_at(): where robots are, and what lies between them where they are.
  void place(SimTime at, Scene& scene);
  void look(Scene& scene);

 private:
  void look_along(const Segment& ray, std::size_t pair, Sights& sights);

  std::vector<TrackCursor> tracks_;
  Obstacles obstacles_;
  std::vector<bool> here_;           // by RobotIndex; empty: all
  std::vector<WallCrossing> walls_;  // of one pair, while it is looked at
};

}  // namespace hilgate
