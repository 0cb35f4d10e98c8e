// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>

#include "clock/time.h"

namespace hilgate {

/// A clock for the path: now() is path time (clock/servo/sim_clock.h) and does not go backwards. patience(): how long
/// an iteration without arrivals may wait for the next release, about the length of such an iteration; 0 for a clock
/// that does not run by itself.
template <class C>
concept HostClock = requires(C& clock) {
  { clock.now() } -> std::same_as<HostTime>;
  { clock.patience() } -> std::same_as<Nanoseconds>;
};

/// One whose path time may be another than host time.
template <class C>
concept PacedClock = HostClock<C> && requires(C& clock, HostTime host) {
  { clock.is_paced() } -> std::same_as<bool>;
  { clock.path(host) } -> std::same_as<HostTime>;
};

}  // namespace hilgate

// Time of a path that goes from event to event instead of by a clock.

namespace hilgate {

/// Models HostClock: stands where it was put.
class EventClock {
 public:
  /// How far time advances when something is due and does not happen.
  static constexpr Nanoseconds kOnward{1'000};

  [[nodiscard]] HostTime now() const { return now_; }
  [[nodiscard]] static constexpr Nanoseconds patience() { return Nanoseconds{0}; }
  void advance_to(HostTime instant) { now_ = std::max(now_, instant); }
  /// When the next event, due at `due`, happens: `moved` is false where the last one did not happen.
  [[nodiscard]] HostTime next(HostTime due, bool moved) const { return std::max(due, moved ? now_ : now_ + kOnward); }

 private:
  HostTime now_{};
};

}  // namespace hilgate
