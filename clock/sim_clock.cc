// SPDX-License-Identifier: Apache-2.0
#include "clock/sim_clock.h"

#include <fmt/core.h>

#include <stdexcept>

namespace hilgate {
namespace {

double check(double factor) {
  if (!(factor >= 0 && factor <= 1000)) {
    throw std::runtime_error(fmt::format("clock: sim time at {} times wall time; 0 to 1000 are possible", factor));
  }
  return factor;
}

}  // namespace

SimClock::SimClock(HostTime now, SimTime start, double factor) : factor_(check(factor)) {
  const SimLine line{now, start, ClockRate::from(factor)};
  lines_.store({line, line});
}

void SimClock::set_factor(HostTime now, double factor) {
  factor_ = check(factor);
  publish(now);
}

void SimClock::pause(HostTime now) {
  paused_ = true;
  publish(now);
}

void SimClock::resume(HostTime now) {
  paused_ = false;
  publish(now);
}

void SimClock::follow(HostTime now, ClockRate wall) {
  wall_ = wall;
  publish(now);
}

void SimClock::publish(HostTime now) {
  const SimLines before = lines_.load();
  const ClockRate rate = ClockRate::from(paused_ ? 0 : factor_ * wall_.factor());
  lines_.store({{now, before.at(now), rate}, before.current});
}

}  // namespace hilgate
