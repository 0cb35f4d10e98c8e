// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "clock/time.h"

namespace hilgate {

/// Pace `wall`: window k starts at start + k W of host time and stands for sim time k W.
class HostWindows {
 public:
  HostWindows(HostTime start, Nanoseconds window) : start_(start), window_(window) {}

  [[nodiscard]] HostTime boundary(std::uint64_t k) const { return start_ + window_ * static_cast<std::int64_t>(k); }
  [[nodiscard]] SimTime sim(std::uint64_t k) const { return SimTime{window_ * static_cast<std::int64_t>(k)}; }
  /// The window that `now` lies in; 0 before the start.
  [[nodiscard]] std::uint64_t at(HostTime now) const {
    return now < start_ ? 0 : static_cast<std::uint64_t>((now - start_) / window_);
  }
  [[nodiscard]] Nanoseconds window() const { return window_; }

 private:
  HostTime start_;
  Nanoseconds window_;
};

}  // namespace hilgate
