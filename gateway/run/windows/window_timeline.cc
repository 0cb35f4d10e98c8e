// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/windows/window_timeline.h"

#include <algorithm>

#include "clock/servo/window_clock.h"

namespace hilgate {
namespace {

constexpr std::int64_t kMillion = 1'000'000;
constexpr Nanoseconds kCoarseGrid = std::chrono::seconds{1};

}  // namespace

ClockTimeline::ClockTimeline(const DisciplinedClock& clock, HostTime now, Dilation dilation,
                             const std::optional<FollowOptions>& follow, SimTime first,
                             std::optional<WallTime> site_zero)
    : clock_(clock),
      dilation_(dilation),
      first_(first),
      site_zero_(site_zero),
      era_(clock.windows().plan().era_at(now)),
      sim_(clock.windows().plan().line_at(now), now, first, follow ? 0 : dilation.factor()),
      path_{.sim = &sim_, .origin = now} {
  if (follow) {
    follower_.emplace(*follow);
  }
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

void ClockTimeline::set_factor(HostTime now, Dilation dilation) {
  if (dilation != dilation_) {
    dilation_ = dilation;
    sim_.set_factor(now, dilation.factor());
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

void ClockTimeline::keep_step(HostTime now) {
  if (follower_ && begun_ && !paused_) {
    const double factor = follower_->factor(now, sim_.at(now));
    if (factor != sim_.factor()) {
      sim_.set_factor(now, factor);
    }
  }
}

void ClockTimeline::physics_clock(HostTime now, SimTime physics) {
  if (follower_ && begun_) {
    follower_->note_clock(now, physics, sim_.at(now));
  }
}

void ClockTimeline::physics_stepped(HostTime now, SimTime end, Nanoseconds length, Nanoseconds took) {
  if (follower_) {
    follower_->note_step(now, end, length, took);
    keep_step(now);
  }
}

void ClockTimeline::await_physics(HostTime now) {
  if (follower_) {
    sim_.set_factor(now, 0);
  }
}

HostTime ClockTimeline::begin(HostTime now, Nanoseconds window) {
  begun_ = true;
  window_ = window;
  take_step(now);
  if (!paused_) {
    sim_.resume(now);
  }
  if (clock_.has_reference() && !follower_) {
    sim_.align(now, first_, site_zero_ ? *site_zero_ + first_.time_since_epoch() : place(sim_.wall().at(now), window));
  }
  return std::max(now, sim_.when(first_));
}

void ClockTimeline::begin_anew(HostTime now, SimTime first, WallTime site_zero) {
  begun_ = false;
  first_ = first;
  site_zero_ = site_zero;
  take_step(now);
  misplaced_ = false;
  sim_.begin_anew(now, first, site_zero + first.time_since_epoch());
}

void ClockTimeline::window_began(HostTime now, SimTime from, Nanoseconds window) {
  take_step(now);
  misplaced_ = misplaced_ || window != window_;
  window_ = window;
  if (misplaced_ && clock_.has_reference() && !follower_) {
    const SimTime next = from + window;
    sim_.align(now, next, place(sim_.wall().at(sim_.when(next)), window));
  }
  misplaced_ = false;
}

// The first instant from `at_least` on at which a window may begin.
WallTime ClockTimeline::place(WallTime at_least, Nanoseconds window) const {
  const Int128 length = static_cast<Int128>(window.count()) * kMillion;  // in wall time, times parts per million
  if (length > static_cast<Int128>(kCoarseGrid.count()) * dilation_.ppm) {
    return round_up(at_least, kCoarseGrid);
  }
  const Int128 past = static_cast<Int128>(at_least.time_since_epoch().count()) * dilation_.ppm;
  const Int128 number = (past + length - 1) / length;
  return WallTime{Nanoseconds{static_cast<std::int64_t>(number * length / dilation_.ppm)}};
}

}  // namespace hilgate
