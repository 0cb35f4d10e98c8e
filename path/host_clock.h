// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>

#include "clock/time.h"

namespace hilgate {

/// A clock for the path: now() is path time (clock/servo/path_pace.h) and does not go backwards. patience(): how long
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
