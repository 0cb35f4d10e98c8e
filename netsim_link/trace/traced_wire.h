// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "clock/time.h"
#include "netsim_link/trace/trace_schedule.h"

namespace hilgate {

/// The wire of a trace: which part of its rate or opportunities is used up. Plain data; the schedule is separate and
/// must outlive it. Times are since the start of the run. Does not allocate.
class TracedWire {
 public:
  TracedWire() = default;  // without a trace: none of the following may be called
  explicit TracedWire(const TraceSchedule* schedule) : schedule_(schedule) {}

  /// When the transmission of the next frame begins, which came at `ready` and has so many bytes on the wire; kNever
  /// when it would not end.
  [[nodiscard]] Nanoseconds begins(Nanoseconds ready, std::uint32_t bytes) const {
    TracedWire trial = *this;
    if (trial.send(ready, bytes) == TraceSchedule::kNever) {
      return TraceSchedule::kNever;
    }
    if (!schedule_->has_opportunities()) {
      return std::max(free_at_, ready);
    }
    return has_left(ready) ? free_at_ : opportunity_at(next_for(ready), ready);
  }

  /// Transmits it: when its end is. Requires that it begins.
  [[nodiscard]] Nanoseconds send(Nanoseconds ready, std::uint32_t bytes) {
    return free_at_ = schedule_->has_opportunities() ? send_in_opportunities(ready, bytes)
                                                     : schedule_->sent(std::max(free_at_, ready), 8.0 * bytes, hint_);
  }

  /// How many may wait at an instant; 0: the trace does not say.
  [[nodiscard]] std::uint32_t queue_at(Nanoseconds instant) { return schedule_->at(instant, hint_).queue; }

  [[nodiscard]] Nanoseconds free_at() const { return free_at_; }
  /// Nothing before `instant` is free any more.
  void skip_to(Nanoseconds instant) {
    free_at_ = instant;
    left_ = 0;
    next_ = schedule_->has_opportunities() ? schedule_->first_after(instant) : 0;
  }

 private:
  // What is left of the last opportunity is for those that were there then.
  [[nodiscard]] bool has_left(Nanoseconds ready) const { return left_ > 0 && ready < free_at_; }
  [[nodiscard]] std::uint64_t next_for(Nanoseconds ready) const {
    return std::max(next_, schedule_->first_after(ready));
  }
  [[nodiscard]] Nanoseconds opportunity_at(std::uint64_t number, Nanoseconds ready) const {
    return std::min(schedule_->opportunity(number), std::max(schedule_->clear_from(), ready));
  }

  Nanoseconds send_in_opportunities(Nanoseconds ready, std::uint32_t bytes) {
    const std::uint32_t used = has_left(ready) ? std::min(left_, bytes) : 0;
    left_ -= used;
    const std::uint32_t rest = bytes - used;
    if (rest == 0) {
      return free_at_;
    }
    const std::uint64_t first = next_for(ready);
    if (first == TraceSchedule::kNoOpportunity) {  // over and clear
      left_ = 0;
      return opportunity_at(first, ready);
    }
    const std::uint32_t needed = (rest + kOpportunityBytes - 1) / kOpportunityBytes;
    left_ = needed * kOpportunityBytes - rest;
    next_ = first + needed;
    return opportunity_at(next_ - 1, ready);
  }

  const TraceSchedule* schedule_ = nullptr;
  Nanoseconds free_at_{0};  // the end of the last transmission, which is an opportunity's instant where there are some
  std::uint64_t next_ = 0;  // first opportunity that is not used
  std::uint32_t left_ = 0;  // bytes of the one before
  std::uint32_t hint_ = 0;
};

}  // namespace hilgate
