// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "clock/hardware/clock_bridges.h"
#include "clock/time.h"

namespace hilgate {

/// From the clock of a port's timestamps to host time.
struct StampLine {
  DeviceLine::Line line{};
  Nanoseconds margin{0};  // how far the result may be from the packet loop's clock; none leaves early by less
  bool valid = false;
};

}  // namespace hilgate
