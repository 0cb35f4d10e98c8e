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

// Rotations by unit quaternions, and by roll, pitch and yaw in radians.

inline Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// v + 2w (q x v) + 2 q x (q x v), for unit quaternions.
inline Vec3 rotate(const Quaternion& q, const Vec3& v) {
  const Vec3 axis{q.x, q.y, q.z};
  const Vec3 once = cross(axis, v);
  const Vec3 twice = cross(axis, once);
  return {v.x + 2 * (q.w * once.x + twice.x), v.y + 2 * (q.w * once.y + twice.y), v.z + 2 * (q.w * once.z + twice.z)};
}

inline Quaternion inverse(const Quaternion& q) {
  return {q.w, -q.x, -q.y, -q.z};
}

/// First b, then a.
inline Quaternion times(const Quaternion& a, const Quaternion& b) {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

/// Of unit length; the identity for one that is next to nothing.
inline Quaternion normalised(const Quaternion& q) {
  const double length = std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  return length > 1e-9 ? Quaternion{q.w / length, q.x / length, q.y / length, q.z / length} : Quaternion{};
}

/// Roll about x, then pitch about y, then yaw about z, all of the fixed frame, as SDF and ROS have it.
inline Quaternion from_rpy(double roll, double pitch, double yaw) {
  const Quaternion x{std::cos(roll / 2), std::sin(roll / 2), 0, 0};
  const Quaternion y{std::cos(pitch / 2), 0, std::sin(pitch / 2), 0};
  const Quaternion z{std::cos(yaw / 2), 0, 0, std::sin(yaw / 2)};
  return times(z, times(y, x));
}

}  // namespace hilgate
