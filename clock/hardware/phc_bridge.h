// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "clock/clock_line.h"
#include "clock/hardware/phc_device.h"
#include "clock/hardware/realtime_bridge.h"
#include "clock/time.h"

namespace hilgate {

/// From stamps of a PHC to host time, by a straight line through two readings a second or more apart: a PHC drifts
/// against the system clock by tens of ppm, which a stamp 100 ms old would feel. Control thread only.
class PhcBridge {
 public:
  /// Feeds one reading; after a step of the PHC (more than 1 ms off the line) the line starts anew. True then.
  bool add(const PhcReading& reading, const RealtimeBridge& realtime);
  /// Nothing before the first reading.
  [[nodiscard]] std::optional<HostTime> host(std::int64_t phc_ns) const;

 private:
  struct PhcClock {
    static constexpr bool is_steady = false;
  };
  using PhcTime = ClockOf<PhcClock>::time_point;
  struct Point {
    PhcTime phc;
    HostTime host;
  };
  std::optional<Point> base_;  // a second or more before the latest, once there are two
  std::optional<ClockLine<PhcTime, HostTime>> line_;
};

}  // namespace hilgate
