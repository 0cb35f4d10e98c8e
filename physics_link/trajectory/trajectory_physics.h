// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "physics_link/obstacles.h"
#include "physics_link/physics.h"
#include "physics_link/trajectory/track.h"

namespace hilgate {

/// The embedded physics: robots follow their tracks, independent of the air, among static obstacles. Robots turn where
/// their waypoints have a yaw. After the first scene, scene_at() allocates only when more pairs are out of sight, or a
/// ray crosses more walls, than before.
///
/// Among buildings a pair is looked at anew when an end has moved so far that something else may be between them, or
/// walls that lose something else (Obstacles::append_between()). Until then its walls are those of where its ends were.
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
  /// Of a pair: how far its ends have gone when it is looked at anew; rounded down.
  struct Lasts {
    float low_m = 0, high_m = 0;
  };
  void look_at_all(Scene& scene);
  void look_at_moved(Scene& scene);
  void add_ways(const Scene& scene);
  void keep(std::size_t low, std::size_t high, std::size_t pair, double stays_m);
  double look_along(const Segment& ray, std::size_t pair, Sights& sights);

  std::vector<TrackCursor> tracks_;
  Obstacles obstacles_;
  std::vector<bool> here_;           // by RobotIndex; empty: all
  std::vector<WallCrossing> walls_;  // of one pair, while it is looked at

  // Among buildings:
  std::uint64_t mark_ = 0;    // of the sights that were written last
  std::vector<Vec3> looked_;  // by RobotIndex: where it was then
  std::vector<double> ways_m_;
  std::vector<float> gone_m_;        // likewise, rounded up
  std::vector<std::uint8_t> moved_;  // likewise, since the last scene
  std::vector<Lasts> lasts_;         // by pair
};

}  // namespace hilgate
