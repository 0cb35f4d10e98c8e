// SPDX-License-Identifier: Apache-2.0
// The clocks hilgate knows, one type each, so that instants of different clocks do not mix.
//
// An instant is never a duration since "now", and a duration belongs to no clock. Only clock/ converts
// between clocks. All instants are signed 64-bit nanoseconds: good for 292 years on either side of the epoch.
#pragma once

#include <chrono>
#include <cstdint>

namespace hilgate {

using Nanoseconds = std::chrono::nanoseconds;

/// A clock that has instants but no now(): reading a clock is the business of the thing that owns it.
template <class Tag>
struct ClockOf {
  using rep = std::int64_t;
  using period = std::nano;
  using duration = Nanoseconds;
  using time_point = std::chrono::time_point<ClockOf>;
  static constexpr bool is_steady = Tag::is_steady;
};

struct HostTag {
  static constexpr bool is_steady = true;
};
struct WallTag {
  static constexpr bool is_steady = false;  // a servo steers it and may step it
};
struct PtpTag {
  static constexpr bool is_steady = false;  // as the grandmaster shows: wall, or sim time plus an epoch
};
struct SimTag {
  static constexpr bool is_steady = true;  // it only advances, but is held while the simulation is
};

/// CLOCK_MONOTONIC, in which the kernel stamps arrivals; the packet loop reads it through the TSC.
using HostTime = ClockOf<HostTag>::time_point;
/// TAI, disciplined by PTP where there is a reference.
using WallTime = ClockOf<WallTag>::time_point;
/// The timestamps in PTP messages that hilgate sends: nanoseconds since the epoch that is being served.
using PtpTime = ClockOf<PtpTag>::time_point;
/// Time inside the simulation, 0 at the start of the run.
using SimTime = ClockOf<SimTag>::time_point;

/// A duration as a number, for people and for formulas.
template <class Rep, class Period>
constexpr double seconds_of(std::chrono::duration<Rep, Period> span) {
  return std::chrono::duration<double>(span).count();
}
template <class Rep, class Period>
constexpr double microseconds_of(std::chrono::duration<Rep, Period> span) {
  return std::chrono::duration<double, std::micro>(span).count();
}

}  // namespace hilgate
