// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "clock/hardware/clock_bridges.h"
#include "clock/time.h"

namespace hilgate {

/// From the clock of a port's timestamps to host time.
struct StampLine {
  DeviceLine::Line line{};
  Nanoseconds margin{0};  // how far the result may be from the packet loop's clock; none leaves early by less
  Nanoseconds drift{0};   // of this: how far the line may go off until the next one
  bool valid = false;
};

/// A line through readings of the clock that are `reading` off at most, each of them and the one before, with the drift
/// that they show (DeviceLine::drift(), which that error may hide twice). `host` is how far the packet loop's clock is
/// from the host's.
inline StampLine stamp_line(const DeviceLine::Line& line, Nanoseconds drift, Nanoseconds reading, Nanoseconds host) {
  return {.line = line, .margin = drift + 3 * reading + host, .drift = drift, .valid = true};
}

}  // namespace hilgate
