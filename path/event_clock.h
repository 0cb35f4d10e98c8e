// SPDX-License-Identifier: Apache-2.0
// Time of a path that goes from event to event instead of by a clock.
#pragma once

#include <algorithm>

#include "clock/time.h"

namespace hilgate {

/// Models HostClock: stands where it was put.
class EventClock {
 public:
  /// How far time goes on when something is due and does not happen.
  static constexpr Nanoseconds kOnward{1'000};

  [[nodiscard]] HostTime now() const { return now_; }
  [[nodiscard]] static constexpr Nanoseconds patience() { return Nanoseconds{0}; }
  void advance_to(HostTime instant) { now_ = std::max(now_, instant); }
  /// When the next event is, of which `due` is said: `moved` is false where the last one did not happen.
  [[nodiscard]] HostTime next(HostTime due, bool moved) const { return std::max(due, moved ? now_ : now_ + kOnward); }

 private:
  HostTime now_{};
};

}  // namespace hilgate
