// SPDX-License-Identifier: Apache-2.0
// What hilgate-ros2, which hears ROS 2, writes to the gateway: a line for each thing.
//
//   pose ROBOT STAMP X Y Z W X Y Z      a place in m and an orientation, stamped ns after 1970 (UTC)
//   fix ROBOT STAMP LATITUDE LONGITUDE ALTITUDE   degrees, and m above the ellipsoid of WGS 84; likewise
//   trouble ROBOT TEXT                  why nothing can come; without text: it can again
//   clock TIME                          what /clock shows, ns
#pragma once

#include <chrono>
#include <ctime>
#include <string>
#include <string_view>
#include <variant>

#include "clock/time.h"
#include "physics_link/mavlink/geodetic.h"
#include "physics_link/scene.h"

namespace hilgate {

struct UnixTag {
  static constexpr bool is_steady = false;  // setting the system's clock steps it
};
/// CLOCK_REALTIME, the time of ROS 2's stamps: since 1970, UTC.
using UnixTime = ClockOf<UnixTag>::time_point;

inline UnixTime unix_now() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return UnixTime(std::chrono::seconds(now.tv_sec) + Nanoseconds(now.tv_nsec));
}

/// Any numbers: nothing has been checked yet.
struct Ros2Pose {
  RobotIndex robot{};
  UnixTime stamp{};
  Vec3 at{};
  Quaternion turned{};
};

/// Likewise, on the earth.
struct Ros2Fix {
  RobotIndex robot{};
  UnixTime stamp{};
  mavlink::Geodetic at{};
};

struct Ros2Trouble {
  RobotIndex robot{};
  std::string text{};
};

struct Ros2Clock {
  Nanoseconds shows{0};
};

/// With the line's end.
std::string line_of(const Ros2Pose& pose);
std::string line_of(const Ros2Fix& fix);
std::string line_of(const Ros2Trouble& trouble);
std::string line_of(const Ros2Clock& clock);

using Ros2Line = std::variant<std::monostate, Ros2Pose, Ros2Fix, Ros2Trouble, Ros2Clock>;
/// Of a line without its end; std::monostate when it is none of these.
Ros2Line parse_ros2_line(std::string_view line);

}  // namespace hilgate
