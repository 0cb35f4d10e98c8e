// SPDX-License-Identifier: Apache-2.0
// The window engine's paces that have a clock: boundaries, and what missing them costs.
#include <algorithm>

#include <fmt/format.h>

#include "gateway/windows/window_engine.h"

namespace hilgate {
void WindowEngine::reschedule() {
  if (running_ && !lockstep()) {
    wake_at_boundary();
  }
}

void WindowEngine::wake_at_boundary() {
  if (timeline_->stands()) {
    timer_.cancel();
  } else {
    timer_.at(boundary_at(current_ + 1), [this] { boundary(); });
  }
}

void WindowEngine::boundary() {
  if (options_.physics_is_clock && physics_side_.next_window <= current_) {
    timeline_->await_physics(timer_.now());
    return;
  }
  boundaries_.record(timer_.now() - boundary_at(current_ + 1));
  for (Side* side : {&physics_side_, &network_side_}) {
    if (side->next_window <= current_) {
      note_missed(*side);
    }
  }
  if (!running_) {
    return;
  }
  if (options_.windows > 0 && current_ + 1 >= options_.windows) {
    stop("");
    return;
  }
  start_window(window_after_boundary());
  pump();
}

// After a stall the missed windows are run one by one, or skipped when no simulator needs them.
std::uint64_t WindowEngine::window_after_boundary() const {
  std::uint64_t next = current_ + 1;
  while (options_.recovery == Recovery::kSkip && boundary_at(next + 1) <= timer_.now()) {
    ++next;
  }
  return next;
}

void WindowEngine::note_missed(Side& side) {
  ++side.stats.missed;
  if (options_.late == LatePolicy::kHalt) {
    stop(fmt::format("{} missed the deadline of window {}; the run stops (late: halt)", side.name, side.next_window));
  }
}

}  // namespace hilgate
