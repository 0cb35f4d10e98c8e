// SPDX-License-Identifier: Apache-2.0
// Where something is and how it is turned.
//
// Coordinates are metres in a right-handed local frame, z up (ENU when the world is georeferenced).
#pragma once

#include <cmath>

namespace hilgate {

struct Vec3 {
  double x = 0, y = 0, z = 0;  // m
  friend bool operator==(const Vec3&, const Vec3&) = default;
};

inline double distance_m(const Vec3& a, const Vec3& b) {
  return std::hypot(a.x - b.x, a.y - b.y, a.z - b.z);
}

/// The point at `part` of the straight line, 0 to 1.
inline Vec3 on_line(const Vec3& from, const Vec3& to, double part) {
  return {std::lerp(from.x, to.x, part), std::lerp(from.y, to.y, part), std::lerp(from.z, to.z, part)};
}

struct Quaternion {
  double w = 1, x = 0, y = 0, z = 0;
  friend bool operator==(const Quaternion&, const Quaternion&) = default;
};

struct Pose {
  Vec3 position;
  Quaternion orientation;  // from the robot's frame, x forwards and z up, to the scene's
  bool oriented = false;   // the source gives the robot's orientation
  bool placed = true;      // the source gives the robot's position
};
inline constexpr Pose kUnplaced{.position = {}, .orientation = {}, .placed = false};

}  // namespace hilgate
