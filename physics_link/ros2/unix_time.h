// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <ctime>

#include "clock/time.h"

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

}  // namespace hilgate
