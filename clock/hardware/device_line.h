// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "clock/clock_line.h"
#include "clock/time.h"

namespace hilgate {

/// How a device's clock runs against the host's: a straight line through two readings, since clocks drift against each
/// other by tens of ppm, which a stamp 100 ms old would feel. One thread.
class DeviceLine {
  struct DeviceClockTag {
    static constexpr bool is_steady = false;
  };

 public:
  /// Of the device. A device that counts ticks has one tick for each "nanosecond".
  using DeviceTime = ClockOf<DeviceClockTag>::time_point;
  using Line = ClockLine<DeviceTime, HostTime>;
  struct Reading {
    DeviceTime device{};
    HostTime host{};
  };
  /// The rate is that between the newest reading and one at least `shortest` before; when that is `longest` old, the
  /// newest replaces it.
  struct Baseline {
    Nanoseconds shortest;
    Nanoseconds longest;
  };

  /// Goes through `reading` at `rate`.
  DeviceLine(Baseline baseline, const Reading& reading, ClockRate rate = {})
      : baseline_(baseline), base_(reading), line_{reading.device, reading.host, rate} {}

  /// Goes through `reading`. More than 1 ms off the line, or not after the reading that the rate is measured from,
  /// means that the device's clock was stepped: then the rate stays and is measured from here on. True then.
  bool add(const Reading& reading);

  [[nodiscard]] const Line& line() const { return line_; }

 private:
  Baseline baseline_;
  Reading base_;
  Line line_;
};

}  // namespace hilgate
