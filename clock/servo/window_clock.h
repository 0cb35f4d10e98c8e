// SPDX-License-Identifier: Apache-2.0
// The disciplined clock and the windows that are placed on it.
#pragma once

#include <cstdint>

#include "clock/seqlock.h"
#include "clock/servo/line_fit.h"
#include "clock/time.h"

namespace hilgate {

/// The first multiple of `step` (above 0) that is not before `instant`.
constexpr WallTime round_up(WallTime instant, Nanoseconds step) {
  const Nanoseconds past = instant.time_since_epoch() % step;
  if (past == Nanoseconds{0}) {
    return instant;
  }
  return instant + (past > Nanoseconds{0} ? step - past : -past);
}

/// Where windows begin on the wall clock: window k, from `first` on, at start + (k - first) * width.
struct WindowGrid {
  std::uint64_t first = 0;
  WallTime start{};
  Nanoseconds width = std::chrono::milliseconds{1};

  /// Several gateways align their windows without messages when the width divides the second.
  [[nodiscard]] constexpr bool divides_second() const { return std::chrono::seconds{1} % width == Nanoseconds{0}; }
  /// `window` is not before `first`.
  [[nodiscard]] constexpr WallTime begin(std::uint64_t window) const {
    return start + width * static_cast<std::int64_t>(window - first);
  }
  /// The window that `instant` lies in. Before `start` it is the one before `first`, which was prolonged by a step of
  /// the clock; before window 0 it is 0.
  [[nodiscard]] constexpr std::uint64_t window(WallTime instant) const {
    if (instant < start) {
      return first > 0 ? first - 1 : 0;
    }
    return first + static_cast<std::uint64_t>((instant - start) / width);
  }
  /// The first beginning of a window after `instant`.
  [[nodiscard]] constexpr WallTime next(WallTime instant) const {
    return instant < start ? start : start + width * ((instant - start) / width + 1);
  }
};

/// What the control thread publishes. From `switch_at` on, `next_line` and `next_grid` hold instead: a step of the
/// clock, which happens at a window boundary and nowhere else.
struct WindowPlan {
  WallLine line;
  WindowGrid grid;
  bool steps = false;
  HostTime switch_at{};
  WallLine next_line;
  WindowGrid next_grid;
  std::uint64_t era = 0;  // past steps

  /// Instants of one era are on one continuous clock.
  [[nodiscard]] std::uint64_t era_at(HostTime host) const { return era + (steps && host >= switch_at ? 1 : 0); }
  [[nodiscard]] const WallLine& line_at(HostTime host) const { return steps && host >= switch_at ? next_line : line; }
  [[nodiscard]] const WindowGrid& grid_at(HostTime host) const { return steps && host >= switch_at ? next_grid : grid; }
  [[nodiscard]] WallTime wall(HostTime host) const { return line_at(host).at(host); }
  [[nodiscard]] std::uint64_t window(HostTime host) const { return grid_at(host).window(wall(host)); }
  /// The host instant of the first window boundary after `host`. Slewing moves it by what is slewed.
  [[nodiscard]] HostTime next_boundary(HostTime host) const {
    const HostTime boundary = line_at(host).when(grid_at(host).next(wall(host)));
    return boundary > host ? boundary : host + Nanoseconds{1};
  }
};

struct WindowClockOptions {
  Nanoseconds width = std::chrono::milliseconds{1};        // W, above 0
  Nanoseconds slew_time = std::chrono::milliseconds{500};  // an error is gone in about this time, unless
  double most_slew = 500e-6;                               // that would take a rate correction beyond this
};

/// Maps host time to wall time and computes where windows begin. Corrections are slewed; a step waits for a window
/// boundary, where the window then beginning is prolonged (to between one and two widths) until the grid fits again.
///
/// Time is injected everywhere. steer() and step() belong to the control thread; plan() and version() to any thread.
class WindowClock {
 public:
  /// Starts at `now`; window 0 begins at the next whole second of the wall clock. Throws std::runtime_error for a width
  /// of 0 or below, or above one hour.
  WindowClock(const WindowClockOptions& options, const ReferenceSample& now);

  /// Heads for `target` without a jump: continuous at `now`, and never backwards, since the correction is bounded.
  void steer(HostTime now, const WallLine& target);

  /// Takes over `target` at a boundary that all readers still have ahead of them.
  void step(HostTime now, const WallLine& target);

  [[nodiscard]] WindowPlan plan() const { return plan_.load(); }
  [[nodiscard]] std::uint64_t version() const { return plan_.version(); }
  [[nodiscard]] bool is_stepping(HostTime now) const { return current_.steps && now < current_.switch_at; }

 private:
  void settle(HostTime now);

  WindowClockOptions options_;
  WindowPlan current_;
  Seqlock<WindowPlan> plan_;
};

/// One hot thread's view: refresh() once per turn of its loop, then as many conversions as it likes, each two
/// multiplications and no branch.
class WindowReader {
 public:
  explicit WindowReader(const WindowClock& clock, HostTime now) : clock_(&clock) { take(now); }

  /// True when a window boundary has been passed since the last call; window() is then the new window.
  bool refresh(HostTime now) {
    if (clock_->version() == version_ && now < boundary_) [[likely]] {
      return false;
    }
    const std::uint64_t before = window_;
    take(now);
    return window_ != before;
  }

  [[nodiscard]] WallTime wall(HostTime host) const { return line_.at(host); }
  [[nodiscard]] std::uint64_t window() const { return window_; }
  [[nodiscard]] HostTime next_boundary() const { return boundary_; }

 private:
  void take(HostTime now) {
    version_ = clock_->version();
    const WindowPlan plan = clock_->plan();
    line_ = plan.line_at(now);
    // A slew may put a boundary that was just passed ahead again: a window is not entered twice.
    const std::uint64_t window = plan.window(now);
    window_ = window > window_ ? window : window_;
    boundary_ = plan.next_boundary(now);
    if (plan.steps && now < plan.switch_at && plan.switch_at < boundary_) {
      boundary_ = plan.switch_at;
    }
  }

  const WindowClock* clock_;
  std::uint64_t version_ = 0;
  WallLine line_;
  std::uint64_t window_ = 0;
  HostTime boundary_{};
};

}  // namespace hilgate
