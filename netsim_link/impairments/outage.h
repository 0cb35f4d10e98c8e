// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "clock/time.h"

namespace hilgate {

/// A time in which a link carries nothing: a tunnel, a blackout, a reboot of a radio. Frames that arrive in it are
/// lost; those in flight are not touched. Times count from the start of the run. Does nothing when `length` is 0.
struct Outage {
  Nanoseconds at{0};
  Nanoseconds length{0};
  Nanoseconds every{0};  // again and again with this period, longer than `length`; 0: once

  [[nodiscard]] bool covers(Nanoseconds since_start) const {
    const Nanoseconds since = since_start - at;
    if (since.count() < 0) {
      return false;
    }
    return (every.count() > 0 ? since % every : since) < length;
  }
};

}  // namespace hilgate
