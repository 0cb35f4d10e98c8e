// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <optional>

#include "clock/time.h"
#include "physics_link/mavlink/geodetic.h"

namespace hilgate {

/// How fast a body moves over the ground, and where to.
struct GroundMotion {
  double speed_m_s = 0;
  std::optional<double> course_deg{};  // clockwise from true north, [0, 360); absent below 0.1 m/s
};

/// In hundredths of a degree, as protocols carry it, [0, 360): 359.996 is 0.
inline double rounded_course(double course_deg) {
  const double course = std::round(course_deg * 100) / 100;
  return course < 360 ? course : 0;
}

/// Motion between the positions of a body at two instants, because scenes have positions alone.
class MotionMeter {
 public:
  /// Nothing at the first position, and where time has not advanced since the one before.
  std::optional<GroundMotion> take(SimTime at, const mavlink::Geodetic& place) {
    std::optional<GroundMotion> motion;
    if (last_ && at > last_->at) {
      constexpr double kStands = 0.1;  // m/s
      const Vec3 moved = mavlink::enu_of(place, last_->place);
      motion.emplace().speed_m_s = std::hypot(moved.x, moved.y) / seconds_of(at - last_->at);
      if (motion->speed_m_s >= kStands) {
        const double course = std::atan2(moved.x, moved.y) * 180 / M_PI;
        motion->course_deg = course < 0 ? course + 360 : course;
      }
    }
    last_ = Instant{at, place};
    return motion;
  }

 private:
  struct Instant {
    SimTime at{};
    mavlink::Geodetic place{};
  };
  std::optional<Instant> last_;
};

}  // namespace hilgate
