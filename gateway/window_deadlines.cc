// SPDX-License-Identifier: Apache-2.0
// The window engine's paces that have a clock: boundaries, and what missing them costs.
#include <algorithm>

#include <fmt/format.h>

#include "clock/int128.h"
#include "gateway/window_engine.h"

namespace hilgate {
namespace {

constexpr std::int64_t kMillion = 1'000'000;

}  // namespace

void WindowEngine::wake_at_boundary() {
  timer_.at(boundary_at(current_ + 1), [this] { boundary(); });
}

void WindowEngine::boundary() {
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

// After a stall the windows that have passed are made up for one by one, or left out when nobody needs them.
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
    stop(fmt::format("{} has not ended window {} at its deadline, and late simulators halt the run", side.name,
                     side.next_window));
  }
}

std::int64_t WindowEngine::pace_ppm() const {
  return options_.pace == Pace::kDilate ? options_.dilate_ppm : kMillion;
}

HostTime WindowEngine::boundary_at(std::uint64_t window) const {
  if (schedule_) {
    return schedule_(window);
  }
  const auto sim = static_cast<Int128>(options_.window.count()) * static_cast<Int128>(window - origin_window_);
  return origin_ + Nanoseconds{static_cast<std::int64_t>(sim * kMillion / pace_ppm())};
}

HostTime WindowEngine::host_at(SimTime instant) const {
  const Nanoseconds since = instant - origin_sim_;
  const auto windows = static_cast<std::uint64_t>(std::max<std::int64_t>(since / options_.window, 0));
  const Nanoseconds rest = since - options_.window * static_cast<std::int64_t>(windows);
  const auto host = static_cast<Int128>(rest.count()) * kMillion / pace_ppm();
  return boundary_at(origin_window_ + windows) + Nanoseconds{static_cast<std::int64_t>(host)};
}

SimTime WindowEngine::sim_at(HostTime instant) const {
  const auto host = static_cast<Int128>((instant - boundary_at(current_)).count());
  return begin_of(current_) + Nanoseconds{static_cast<std::int64_t>(host * pace_ppm() / kMillion)};
}

}  // namespace hilgate
