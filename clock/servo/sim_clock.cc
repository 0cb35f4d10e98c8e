// SPDX-License-Identifier: Apache-2.0
#include "clock/servo/sim_clock.h"

#include <fmt/core.h>

#include <stdexcept>

namespace hilgate {
namespace {

double check(double factor) {
  if (!(factor >= 0 && factor <= 1000)) {
    throw std::runtime_error(fmt::format("clock: simulation time at {} times wall time; allowed: 0 to 1000", factor));
  }
  return factor;
}

}  // namespace

SimClock::SimClock(const WallLine& wall, HostTime now, SimTime start, double factor)
    : factor_(check(factor)), wall_(wall), pace_{wall.at(now), start, ClockRate::from(factor)} {
  lines_.store({line(now), line(now)});
}

void SimClock::set_factor(HostTime now, double factor) {
  factor_ = check(factor);
  if (!paused_) {
    anchor(now, at(now));
  }
  publish(now);
}

void SimClock::pause(HostTime now) {
  if (!paused_) {
    least_ = at(now);
    paused_ = true;
    publish(now);
  }
}

void SimClock::resume(HostTime now) {
  if (paused_) {
    paused_ = false;
    anchor(now, least_);
    publish(now);
  }
}

void SimClock::follow(HostTime now, const WallLine& wall) {
  wall_ = wall;
  publish(now);
}

void SimClock::step(HostTime now, const WallLine& wall) {
  const SimTime here = at(now);
  wall_ = wall;
  anchor(now, here);
  publish(now);
}

void SimClock::align(HostTime now, SimTime sim, WallTime wall) {
  least_ = at(now);
  pace_ = {wall, sim, ClockRate::from(factor_)};
  publish(now);
}

void SimClock::begin_anew(HostTime now, SimTime sim, WallTime wall) {
  least_ = sim;
  pace_ = {wall, sim, ClockRate::from(factor_)};
  publish(now);
}

HostTime SimClock::when(SimTime sim) const {
  if (pace_.rate.scaled == 0) {
    return sim > pace_.to ? HostTime::max() : wall_.when(pace_.from);
  }
  return wall_.when(pace_.when(sim));
}

void SimClock::anchor(HostTime now, SimTime sim) {
  pace_ = {wall_.at(now), sim, ClockRate::from(factor_)};
  least_ = sim;
}

SimLine SimClock::line(HostTime now) const {
  if (paused_) {
    return {{now, least_, ClockRate{0}}, least_};
  }
  const ClockRate rate = ClockRate::from(factor_ * wall_.rate.factor());
  return {{now, pace_.at(wall_.at(now)), rate}, least_};
}

void SimClock::publish(HostTime now) {
  lines_.store({line(now), lines_.load().current});
}

}  // namespace hilgate
