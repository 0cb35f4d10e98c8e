// SPDX-License-Identifier: Apache-2.0
#include "clock/servo/window_clock.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

namespace hilgate {
namespace {

// A packet loop takes up a plan within microseconds; this leaves room for one that is held up.
constexpr Nanoseconds kNotice = std::chrono::milliseconds{5};

void check(const WindowClockOptions& options) {
  if (options.width <= Nanoseconds{0} || options.width > std::chrono::hours{1}) {
    throw std::runtime_error(
        fmt::format("clock: the window is {} ns; allowed: more than 0, at most 1 h", options.width.count()));
  }
  if (options.slew_time <= Nanoseconds{0} || options.most_slew <= 0 || options.most_slew > 0.1) {
    throw std::runtime_error(fmt::format(
        "clock: slew time {} ns and maximum slew {}; allowed: a time above 0, a slew above 0 and at most 0.1",
        options.slew_time.count(), options.most_slew));
  }
}

}  // namespace

WindowClock::WindowClock(const WindowClockOptions& options, const ReferenceSample& now) : options_(options) {
  check(options);
  current_.line = {now.host, now.wall, ClockRate{}};
  current_.grid = {0, round_up(now.wall, std::chrono::seconds{1}), options.width};
  plan_.store(current_);
}

void WindowClock::settle(HostTime now) {
  if (current_.steps && now >= current_.switch_at) {
    current_.line = current_.next_line;
    current_.grid = current_.next_grid;
    current_.steps = false;
    ++current_.era;
  }
}

void WindowClock::steer(HostTime now, const WallLine& target) {
  settle(now);
  if (current_.steps) {
    return;  // the step ahead will bring the clock to the target
  }
  const WallTime here = current_.line.at(now);
  const auto error = static_cast<double>((target.at(now) - here).count());
  const double correction =
      std::clamp(error / static_cast<double>(options_.slew_time.count()), -options_.most_slew, options_.most_slew);
  current_.line = {now, here, ClockRate::from(std::clamp(target.rate.factor(), 0.9, 1.1) + correction)};
  plan_.store(current_);
}

void WindowClock::step(HostTime now, const WallLine& target) {
  settle(now);
  current_.steps = false;
  const HostTime boundary = current_.next_boundary(now + kNotice);
  const WallTime after = target.at(boundary);
  const std::uint64_t window = current_.grid.window(current_.line.at(boundary));
  const WallTime next = after + current_.grid.width;
  current_.next_line = {boundary, after, target.rate};
  const bool aligned = current_.grid.divides_second();
  current_.next_grid = {window + 1, aligned ? round_up(next, current_.grid.width) : next, current_.grid.width};
  current_.switch_at = boundary;
  current_.steps = true;
  plan_.store(current_);
}

}  // namespace hilgate
