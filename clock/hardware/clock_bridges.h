// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ctime>
#include <optional>

#include "clock/clock_line.h"
#include "clock/hardware/phc_device.h"
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
  /// How far the line may be off until the next reading, which comes as soon as the newest did: how far it was off at
  /// that one. Before a second reading, or after a step, a rate of up to 100 ppm besides the line's in 100 ms.
  [[nodiscard]] Nanoseconds drift() const { return drift_; }

 private:
  static constexpr Nanoseconds kUnknownDrift{10'000};

  Baseline baseline_;
  Reading base_;
  Line line_;
  Nanoseconds drift_ = kUnknownDrift;
};

// From CLOCK_REALTIME and CLOCK_TAI, in which the kernel and ptp4l stamp packets, to host time.

/// CLOCK_REALTIME and CLOCK_MONOTONIC run at one rate, since the kernel slews both together; they differ by a constant
/// that changes only when CLOCK_REALTIME is stepped. So the constant is measured, and a step is detected. The same is
/// true of CLOCK_TAI, which leap seconds do not step. Control thread only.
class RealtimeBridge {
 public:
  /// `clock`: CLOCK_REALTIME, or CLOCK_TAI: "realtime" below is its time then.
  explicit RealtimeBridge(clockid_t clock = CLOCK_REALTIME);

  /// Measures again. True when CLOCK_REALTIME was stepped since the last time: stamps taken before that must not be
  /// converted any more.
  bool refresh();

  [[nodiscard]] HostTime host(std::int64_t realtime_ns) const {
    return HostTime{Nanoseconds{realtime_ns - offset_ns_}};
  }
  [[nodiscard]] std::int64_t realtime_ns(HostTime host) const { return host.time_since_epoch().count() + offset_ns_; }
  /// How far the constant may be from its true value.
  [[nodiscard]] Nanoseconds uncertainty() const { return Nanoseconds{width_ns_ / 2 + 1}; }

 private:
  clockid_t clock_;
  std::int64_t offset_ns_ = 0;  // CLOCK_REALTIME - CLOCK_MONOTONIC
  std::int64_t width_ns_ = 0;   // how long the measurement took: its error is at most half of it
};

/// From stamps of a PHC to host time, by a line through readings a second or more apart. Control thread only.
class PhcBridge {
 public:
  /// Feeds one reading. True when the PHC was stepped, see DeviceLine::add().
  bool add(const PhcReading& reading, const RealtimeBridge& realtime);
  /// Nothing before the first reading.
  [[nodiscard]] std::optional<HostTime> host(std::int64_t phc_ns) const;
  /// Null before the first reading.
  [[nodiscard]] const DeviceLine::Line* line() const { return line_ ? &line_->line() : nullptr; }
  /// See DeviceLine::drift(); 0 before the first reading.
  [[nodiscard]] Nanoseconds drift() const { return line_ ? line_->drift() : Nanoseconds{0}; }

 private:
  std::optional<DeviceLine> line_;
};

}  // namespace hilgate
