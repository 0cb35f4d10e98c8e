// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "clock/time.h"
#include "frame/counters.h"
#include "path/idle_wait.h"

namespace hilgate {

/// How long the iterations of a packet loop take. Written by its thread.
class IterationMeter {
 public:
  void note(HostTime now, PathTotals& totals) noexcept {
    const auto length = static_cast<std::uint64_t>((now - last_).count());
    if (totals.iterations++ > 0) {
      totals.longest_iteration_ns = std::max(totals.longest_iteration_ns, length);
      if (length > static_cast<std::uint64_t>(kStall.count())) {
        stalled_ns_.add(length);
      }
    }
    last_ = now;
  }
  /// The loop slept until `woke`: that was no iteration.
  void note_sleep(HostTime woke) noexcept { last_ = woke; }

  /// Of iterations that took longer than kStall, since the start. Any thread.
  [[nodiscard]] Nanoseconds stalled() const { return Nanoseconds{static_cast<std::int64_t>(stalled_ns_.get())}; }

 private:
  HostTime last_{};
  Counter stalled_ns_;
};

}  // namespace hilgate
