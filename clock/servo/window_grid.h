// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "clock/time.h"

namespace hilgate {

/// The first multiple of `step` (above 0) that is not before `instant`.
constexpr WallTime round_up(WallTime instant, Nanoseconds step) {
  const Nanoseconds past = instant.time_since_epoch() % step;
  if (past == Nanoseconds{0}) {
    return instant;
  }
  return instant + (past > Nanoseconds{0} ? step - past : -past);
}

/// Where windows begin on the wall clock: window k, from `first` on, at start + (k - first) * width.
struct WindowGrid {
  std::uint64_t first = 0;
  WallTime start{};
  Nanoseconds width = std::chrono::milliseconds{1};

  /// Several gateways align their windows without messages when the width divides the second.
  [[nodiscard]] constexpr bool divides_second() const { return std::chrono::seconds{1} % width == Nanoseconds{0}; }
  /// `window` is not before `first`.
  [[nodiscard]] constexpr WallTime begin(std::uint64_t window) const {
    return start + width * static_cast<std::int64_t>(window - first);
  }
  /// The window that `instant` lies in. Before `start` it is the one before `first`, which was prolonged by a step of
  /// the clock; before window 0 it is 0.
  [[nodiscard]] constexpr std::uint64_t window(WallTime instant) const {
    if (instant < start) {
      return first > 0 ? first - 1 : 0;
    }
    return first + static_cast<std::uint64_t>((instant - start) / width);
  }
  /// The first beginning of a window after `instant`.
  [[nodiscard]] constexpr WallTime next(WallTime instant) const {
    return instant < start ? start : start + width * ((instant - start) / width + 1);
  }
};

}  // namespace hilgate
