// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ctime>

#include "clock/time.h"

namespace hilgate {

/// Reads CLOCK_MONOTONIC. For all threads except the packet loop, which has a TscReader. Any thread.
inline HostTime host_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);  // cannot fail with this clock and a valid address
  return HostTime{std::chrono::seconds{now.tv_sec} + Nanoseconds{now.tv_nsec}};
}

}  // namespace hilgate
