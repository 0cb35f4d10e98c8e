// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "clock/time.h"
#include "host/control_clock.h"

namespace hilgate {

/// Reads CLOCK_MONOTONIC, or the thread's simulated instant. For all threads except the packet loop, which has a
/// TscReader. Any thread.
inline HostTime host_now() {
  return HostTime{ControlClock::now().time_since_epoch()};
}

}  // namespace hilgate
