// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ctime>

#include "clock/time.h"
#include "host/control_clock.h"

namespace hilgate {

/// Reads CLOCK_MONOTONIC, or the thread's simulated instant. For all threads except the packet loop, which has a
/// TscReader. Any thread.
inline HostTime host_now() {
  return HostTime{ControlClock::now().time_since_epoch()};
}

/// How far UTC, as this machine has it, is ahead of its host time now: for files that other programs read. A step of
/// CLOCK_REALTIME changes it, so keep one value for what belongs together. Any thread.
inline Nanoseconds utc_ahead_of_host() {
  timespec host{};
  timespec utc{};
  clock_gettime(CLOCK_MONOTONIC, &host);  // cannot fail with these clocks and valid addresses
  clock_gettime(CLOCK_REALTIME, &utc);
  return std::chrono::seconds{utc.tv_sec - host.tv_sec} + Nanoseconds{utc.tv_nsec - host.tv_nsec};
}

}  // namespace hilgate
