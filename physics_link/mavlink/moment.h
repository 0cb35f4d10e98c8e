// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "clock/time.h"

namespace hilgate::mavlink {

/// When a frame was received. Timers are of simulation time, which is what vehicles' clocks show where they take their
/// time from the run; the host's time is what the speed of their clocks is measured by.
struct Moment {
  HostTime host{};
  SimTime sim{};
  bool queued = false;  // it may have waited before, for how long is not known: on a serial line, in a stream of TCP
};

}  // namespace hilgate::mavlink
