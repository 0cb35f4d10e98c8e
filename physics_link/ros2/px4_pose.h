// SPDX-License-Identifier: Apache-2.0
// Poses as PX4 publishes them (px4_msgs), made ROS 2's: east, north, up for the world; forward, left, up for the
// vehicle (REP 103). PX4 has north, east, down, and forward, right, down.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "physics_link/place.h"
#include "physics_link/ros2/ros2_line.h"

namespace hilgate {

/// The frame of a VehicleOdometry of PX4 1.14 and later (`pose_frame`).
enum class Px4Frame : std::uint8_t { kUnknown = 0, kNed = 1, kFrd = 2 };

/// Microseconds that PX4 stamps with: since 1970 where its clock follows that of the agent (uXRCE-DDS), else since its
/// start, which nobody else has: then `now`.
inline UnixTime px4_stamp(std::uint64_t microseconds, UnixTime now) {
  constexpr std::uint64_t kFirst = 946'684'800'000'000;   // in the year 2000
  constexpr std::uint64_t kLast = 4'102'444'800'000'000;  // 2100
  return microseconds < kFirst || microseconds > kLast
             ? now
             : UnixTime(std::chrono::microseconds(static_cast<std::int64_t>(microseconds)));
}

/// From `frame`, m and a unit quaternion from the vehicle to the frame. FRD has a heading of its own: it becomes
/// forward, left, up. Not a number for other frames.
inline void from_px4(Px4Frame frame, const std::array<float, 3>& position, const std::array<float, 4>& turned,
                     Ros2Pose& pose) {
  const Vec3 at{position[0], position[1], position[2]};
  const Quaternion vehicle{turned[0], turned[1], turned[2], turned[3]};
  const Quaternion half_about_x{.w = 0, .x = 1};
  const Quaternion north_east{.w = 0, .x = std::sqrt(0.5), .y = std::sqrt(0.5)};  // half a turn: swaps north and east
  switch (frame) {
    case Px4Frame::kNed:
      pose.at = {at.y, at.x, -at.z};
      pose.turned = times(times(north_east, vehicle), half_about_x);
      return;
    case Px4Frame::kFrd:
      pose.at = {at.x, -at.y, -at.z};
      pose.turned = times(times(half_about_x, vehicle), half_about_x);
      return;
    case Px4Frame::kUnknown:
      break;
  }
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  pose.at = {kNone, kNone, kNone};
}

}  // namespace hilgate
