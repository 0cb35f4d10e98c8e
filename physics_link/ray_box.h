// SPDX-License-Identifier: Apache-2.0
// Exact crossing of a straight segment and an axis-aligned box, by the slab method: along each axis the line is
// between the two faces for an interval of t, and inside the box in the intersection of the three intervals
// (T. L. Kay, J. T. Kajiya, "Ray tracing complex scenes", SIGGRAPH 1986).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "physics_link/scene.h"

namespace hilgate {

/// Axis-aligned, metres. Every edge has a positive length: low < high on each axis.
struct Box {
  Vec3 low;
  Vec3 high;
};

/// Whether a point is within a box, its faces left out.
constexpr bool contains(const Box& box, const Vec3& point) {
  return box.low.x < point.x && point.x < box.high.x && box.low.y < point.y && point.y < box.high.y &&
         box.low.z < point.z && point.z < box.high.z;
}

/// A segment from a to b; a point on it is a + t (b - a), t in [0, 1].
struct Segment {
  Vec3 a;
  Vec3 b;

  [[nodiscard]] std::array<double, 3> direction() const { return {b.x - a.x, b.y - a.y, b.z - a.z}; }
  [[nodiscard]] double length() const {
    const auto d = direction();
    return std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
  }
  /// Angle between the segment and the normal of the faces across `axis`, in [0, pi/2].
  [[nodiscard]] double angle_to_axis(int axis) const {
    return std::acos(std::min(1.0, std::abs(direction()[static_cast<std::size_t>(axis)]) / length()));
  }
};

/// Where the line through a segment is inside a box. Values of t outside [0, 1] lie beyond the segment's ends.
struct Chord {
  double enter = 0;
  double leave = 0;
  int enter_axis = 0;  // 0 x, 1 y, 2 z: which pair of faces is crossed
  int leave_axis = 0;
};

/// The chord, or nothing when the line misses the box, only touches it, or runs along a face.
inline std::optional<Chord> chord_of(const Segment& segment, const Box& box) {
  const std::array<double, 3> from{segment.a.x, segment.a.y, segment.a.z};
  const std::array<double, 3> low{box.low.x, box.low.y, box.low.z};
  const std::array<double, 3> high{box.high.x, box.high.y, box.high.z};
  const std::array<double, 3> along = segment.direction();
  Chord chord{-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity(), 0, 0};
  for (int axis = 0; axis < 3; ++axis) {
    const auto i = static_cast<std::size_t>(axis);
    if (along[i] == 0) {
      if (from[i] <= low[i] || from[i] >= high[i]) {
        return std::nullopt;
      }
      continue;
    }
    const double one = (low[i] - from[i]) / along[i];
    const double other = (high[i] - from[i]) / along[i];
    if (const double near = std::min(one, other); near > chord.enter) {
      chord.enter = near;
      chord.enter_axis = axis;
    }
    if (const double far = std::max(one, other); far < chord.leave) {
      chord.leave = far;
      chord.leave_axis = axis;
    }
  }
  // Two ends at the same point have no line: both limits are still infinite, and nothing is crossed.
  if (!(chord.enter < chord.leave) || std::isinf(chord.enter)) {
    return std::nullopt;
  }
  return chord;
}

}  // namespace hilgate
