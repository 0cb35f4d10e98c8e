// SPDX-License-Identifier: Apache-2.0
#include "gateway/windows/clock_timeline.h"

#include <algorithm>

#include "clock/servo/window_grid.h"

namespace hilgate {
namespace {

constexpr std::int64_t kMillion = 1'000'000;
constexpr Nanoseconds kCoarseGrid = std::chrono::seconds{1};

double factor_of(std::uint32_t ppm) {
  return static_cast<double>(ppm) / static_cast<double>(kMillion);
}

}  // namespace

ClockTimeline::ClockTimeline(const DisciplinedClock& clock, HostTime now, std::uint32_t ppm)
    : clock_(clock),
      ppm_(ppm),
      era_(clock.windows().plan().era_at(now)),
      sim_(clock.windows().plan().line_at(now), now, SimTime{}, factor_of(ppm)) {
  sim_.pause(now);
}

void ClockTimeline::advance(HostTime now) {
  const WindowPlan plan = clock_.windows().plan();
  if (plan.era_at(now) == era_) {
    sim_.follow(now, plan.line_at(now));
  }
}

void ClockTimeline::take_step(HostTime now) {
  const WindowPlan plan = clock_.windows().plan();
  if (plan.era_at(now) != era_) {
    era_ = plan.era_at(now);
    sim_.step(now, plan.line_at(now));
    misplaced_ = true;
  }
}

void ClockTimeline::set_factor(HostTime now, std::uint32_t ppm) {
  if (ppm != ppm_) {
    ppm_ = ppm;
    sim_.set_factor(now, factor_of(ppm));
    misplaced_ = true;
  }
}

void ClockTimeline::pause(HostTime now) {
  paused_ = true;
  sim_.pause(now);
}

void ClockTimeline::resume(HostTime now) {
  paused_ = false;
  misplaced_ = true;
  if (begun_) {
    sim_.resume(now);
  }
}

HostTime ClockTimeline::begin(HostTime now, Nanoseconds window) {
  begun_ = true;
  window_ = window;
  take_step(now);
  if (!paused_) {
    sim_.resume(now);
  }
  if (clock_.has_reference()) {
    sim_.align(now, SimTime{}, place(sim_.wall().at(now), window));
  }
  return std::max(now, sim_.when(SimTime{}));
}

void ClockTimeline::window_began(HostTime now, SimTime from, Nanoseconds window) {
  take_step(now);
  misplaced_ = misplaced_ || window != window_;
  window_ = window;
  if (misplaced_ && clock_.has_reference()) {
    const SimTime next = from + window;
    sim_.align(now, next, place(sim_.wall().at(sim_.when(next)), window));
  }
  misplaced_ = false;
}

// The first instant from `at_least` on at which a window may begin.
WallTime ClockTimeline::place(WallTime at_least, Nanoseconds window) const {
  const Int128 length = static_cast<Int128>(window.count()) * kMillion;  // in wall time, times ppm_
  if (length > static_cast<Int128>(kCoarseGrid.count()) * ppm_) {
    return round_up(at_least, kCoarseGrid);
  }
  const Int128 past = static_cast<Int128>(at_least.time_since_epoch().count()) * ppm_;
  const Int128 number = (past + length - 1) / length;
  return WallTime{Nanoseconds{static_cast<std::int64_t>(number * length / ppm_)}};
}

}  // namespace hilgate
