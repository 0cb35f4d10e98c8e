// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "clock/time.h"

namespace hilgate {

/// How many frames may have something that most have not: `per_second` on average, `burst` at once. Fit for the hot
/// loop.
template <std::int64_t per_second, std::int64_t burst>
class Allowance {
 public:
  static constexpr std::int64_t kPerSecond = per_second;
  static constexpr std::int64_t kBurst = burst;

  /// Whether one more is within it, which is then taken. Times do not go backwards.
  bool take(HostTime now) noexcept {
    constexpr Nanoseconds kEach{1'000'000'000 / kPerSecond};
    free_at_ = free_at_ > now - kBurst * kEach ? free_at_ : now - kBurst * kEach;
    if (free_at_ > now) {
      return false;
    }
    free_at_ += kEach;
    return true;
  }

 private:
  HostTime free_at_ = HostTime::min();  // when the allowance of all that was taken is earned
};

}  // namespace hilgate
