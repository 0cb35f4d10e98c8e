// SPDX-License-Identifier: Apache-2.0
// Scene: physics' answer at a window. Who is where, who sees whom, what stands between.
//
// Coordinates are metres in a right-handed local frame, z up (ENU when the world is georeferenced).
// Pairs are unordered: what one end sees of the other, the other sees too.
#pragma once

#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "clock/time.h"
#include "frame/id.h"

namespace hilgate {

struct Vec3 {
  double x = 0, y = 0, z = 0;  // m
  friend bool operator==(const Vec3&, const Vec3&) = default;
};

inline double distance_m(const Vec3& a, const Vec3& b) {
  return std::hypot(a.x - b.x, a.y - b.y, a.z - b.z);
}

struct Quaternion {
  double w = 1, x = 0, y = 0, z = 0;
  friend bool operator==(const Quaternion&, const Quaternion&) = default;
};

struct Pose {
  Vec3 position;
  Quaternion orientation;  // from the robot's frame, x forwards and z up, to the scene's
  bool oriented = false;   // the source says how the robot is turned
  bool placed = true;      // the source says where the robot is
};
inline constexpr Pose kUnplaced{.position = {}, .orientation = {}, .placed = false};

/// A wall that the straight ray between two robots crosses.
struct WallCrossing {
  std::uint32_t material = 0;  // index into the materials the physics source was built with
  double thickness_m = 0;      // along the ray
  double incidence_rad = 0;    // from the normal of the face entered
};

/// A point of a path that a physics simulator traced, with the loss of the transition there: of a reflection, or of the
/// wall that the path enters or leaves. traced_path.h says what a path amounts to.
struct PathPoint {
  Vec3 at;
  double loss_db = 0;  // at least 0
};
using Path = std::vector<PathPoint>;

/// What lies between two robots.
struct Sight {
  bool line_of_sight = true;
  std::vector<WallCrossing> walls;  // empty in line of sight
  std::vector<Path> paths;          // empty unless the physics source traces rays
};

/// Number of unordered pairs of n robots.
constexpr std::size_t pair_count(std::size_t n) {
  return n * (n - (n > 0 ? 1 : 0)) / 2;
}

/// Place of the unordered pair {a, b} in a table of pair_count() entries. Requires a != b.
constexpr std::size_t pair_index(RobotIndex a, RobotIndex b) {
  const std::size_t low = a < b ? a.value() : b.value();
  const std::size_t high = a < b ? b.value() : a.value();
  assert(low < high);
  return high * (high - 1) / 2 + low;
}

struct Scene {
  SimTime at{};
  std::vector<Pose> robots;   // by RobotIndex
  std::vector<Sight> sights;  // by pair_index

  [[nodiscard]] const Sight& between(RobotIndex a, RobotIndex b) const { return sights[pair_index(a, b)]; }
};

}  // namespace hilgate
