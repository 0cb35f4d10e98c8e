// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "clock/time.h"
#include "netsim_link/impairments/queue_rules.h"
#include "path/hold/delivery_line.h"

namespace hilgate {

/// Controlled delay (K. Nichols, V. Jacobson, RFC 8289, 5): frames are dropped, or marked, at the head of a queue whose
/// delay has stayed above the target for an interval, the n-th of a series interval / sqrt(n) after the one before.
/// Time is the caller's. Does not allocate.
class CoDel {
 public:
  explicit CoDel(const QueueRules& rules) : target_(rules.target), interval_(rules.interval), ecn_(rules.ecn) {}

  /// Of the frame at the head, at the instant at which the wire is free for it. After kDrop it is asked for the next
  /// one at the same instant. Never kDrop for the last frame of a queue.
  QueueVerdict judge(const QueueHead& head);

  [[nodiscard]] bool dropping() const { return dropping_; }
  /// Drops and marks of this series so far.
  [[nodiscard]] std::uint32_t count() const { return count_; }

 private:
  bool stays_above(const QueueHead& head);
  QueueVerdict take(const QueueHead& head) const;
  [[nodiscard]] HostTime next_after(HostTime instant) const;

  Nanoseconds target_;
  Nanoseconds interval_;
  bool ecn_;
  bool dropping_ = false;
  bool follows_drop_ = false;  // the frame before this one was dropped at the same instant, in a series
  bool above_ = false;
  HostTime above_until_{};  // with above_: when the delay has been above the target for an interval
  HostTime next_{};         // drop of the series, which is kept over its end
  std::uint32_t count_ = 0;
  std::uint32_t last_count_ = 0;  // with which the last series began
  std::uint32_t longest_ = 0;     // frame so far; the RFC's maxpacket
};

}  // namespace hilgate
