// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "clock/time.h"

namespace hilgate {

/// How long a byte is on a line of 8N1: ten bits, with start and stop bit.
constexpr Nanoseconds byte_time(std::uint32_t baud) {
  return Nanoseconds{10'000'000'000 / baud};
}

/// Which bytes a line has had time for. One after the other, in steps of about a millisecond; a late caller finds more
/// of them, up to kMostBehind.
class LineClock {
 public:
  static constexpr Nanoseconds kStep{1'000'000};
  static constexpr Nanoseconds kMostBehind{50'000'000};

  explicit LineClock(Nanoseconds byte) : byte_(byte) {}

  /// The line was idle until now.
  void begin(HostTime now) { free_ = std::max(free_, now); }
  /// Bytes that have passed by `now` and were not taken yet.
  [[nodiscard]] std::size_t passed(HostTime now) {
    free_ = std::max(free_, now - kMostBehind);
    return now > free_ ? static_cast<std::size_t>((now - free_) / byte_) : 0;
  }
  void take(std::size_t bytes) { free_ += byte_ * static_cast<std::int64_t>(bytes); }
  /// When to look for more.
  [[nodiscard]] HostTime next() const { return free_ + std::max(byte_, kStep); }

 private:
  Nanoseconds byte_;
  HostTime free_{};  // the bytes taken have passed by then
};

}  // namespace hilgate
