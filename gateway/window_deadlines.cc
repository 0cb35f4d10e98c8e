// SPDX-License-Identifier: Apache-2.0
// The window engine's paces that have a clock: boundaries, and what missing them costs.
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
  start_window(current_ + 1);
  pump();
}

void WindowEngine::note_missed(Side& side) {
  ++side.stats.missed;
  if (options_.late == LatePolicy::kHalt) {
    stop(fmt::format("{} has not ended window {} at its deadline, and late simulators halt the run", side.name,
                     side.next_window));
  }
}

HostTime WindowEngine::boundary_at(std::uint64_t window) const {
  if (schedule_) {
    return schedule_(window);
  }
  const auto sim = static_cast<Int128>(options_.window.count()) * static_cast<Int128>(window);
  const std::int64_t ppm = options_.pace == Pace::kDilate ? options_.dilate_ppm : kMillion;
  return origin_ + Nanoseconds{static_cast<std::int64_t>(sim * kMillion / ppm)};
}

SimTime WindowEngine::sim_now() const {
  const std::int64_t ppm = options_.pace == Pace::kDilate ? options_.dilate_ppm : kMillion;
  const auto host = static_cast<Int128>((timer_.now() - boundary_at(current_)).count());
  return SimTime{options_.window * static_cast<std::int64_t>(current_) +
                 Nanoseconds{static_cast<std::int64_t>(host * ppm / kMillion)}};
}

}  // namespace hilgate
