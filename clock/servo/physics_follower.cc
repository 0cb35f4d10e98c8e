// SPDX-License-Identifier: Apache-2.0
#include "clock/servo/physics_follower.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string_view>

namespace hilgate {
namespace {

using namespace std::chrono_literals;

constexpr Nanoseconds kMemory = 300ms;
constexpr Nanoseconds kLeastSpan = 20ms;  // two instants that are closer tell no rate
constexpr Nanoseconds kLeastInterval = 1ms;
constexpr int kSmoothing = 8;
constexpr double kStepSmoothing = 0.25;
constexpr double kTolerance = 0.01;  // of a bound: noise

double ratio(Nanoseconds part, Nanoseconds whole) {
  return static_cast<double>(part.count()) / static_cast<double>(whole.count());
}

}  // namespace

void PhysicsFollower::note_clock(HostTime now, SimTime physics, SimTime sim) {
  const Nanoseconds shown = physics.time_since_epoch();
  if (!heard_.empty() && shown == heard_.back().physics) {
    return;
  }
  const bool first = report_.heard == 0;
  ++report_.heard;
  if (first) {
    count_anew(shown, sim);
  } else if (shown < heard_.back().physics) {
    return note_late(now, shown, sim);
  } else if (std::chrono::abs(shown - zero_ - sim.time_since_epoch()) > options_.jump) {
    ++(goes_on(heard_.back(), now, shown) ? report_.lags : report_.jumps);
    count_anew(shown, sim);
  }
  advance(now, shown);
}

void PhysicsFollower::advance(HostTime now, Nanoseconds shown) {
  late_.reset();
  heard_.push_back({now, shown});
  while (heard_.size() > 2 && now - heard_[1].at >= kMemory) {
    heard_.pop_front();
  }
  reached_ = SimTime{shown - zero_};
  note_advance(now);
  learn_rate();
}

// A clock that was set back continues from where it was set, at its first such instant.
void PhysicsFollower::note_late(HostTime now, Nanoseconds shown, SimTime sim) {
  const bool far = heard_.back().physics - shown > options_.jump;
  if (far || !late_ || shown < late_->last.physics - kReordering || !goes_on(late_->last, now, shown)) {
    late_ = {.first = {now, shown}, .last = {now, shown}, .sim = sim};
  } else if (shown > late_->last.physics) {
    late_->last = {now, shown};
  }
  if (far || (shown - late_->first.physics > kReordering && now - late_->first.at > kReordering)) {
    ++report_.jumps;
    count_anew(late_->first.physics, late_->sim);
    advance(now, shown);
  }
}

void PhysicsFollower::count_anew(Nanoseconds physics, SimTime sim) {
  zero_ = physics - sim.time_since_epoch();
  heard_.clear();
}

// Whether a clock that may run as fast as sim time shows `shown` after `from`.
bool PhysicsFollower::goes_on(const Instant& from, HostTime now, Nanoseconds shown) const {
  const double passed = static_cast<double>((now - from.at).count()) * std::max(options_.fastest, report_.rate);
  return static_cast<double>((shown - from.physics - options_.jump).count()) <= passed;
}

void PhysicsFollower::note_step(HostTime now, SimTime end, Nanoseconds length, Nanoseconds took) {
  ++report_.heard;
  const double rate = std::min(ratio(length, std::max(took, Nanoseconds{1})), options_.fastest);
  report_.rate = step_ == 0ns ? rate : report_.rate + kStepSmoothing * (rate - report_.rate);
  step_ = length;
  reached_ = end;
  note_advance(now);
}

void PhysicsFollower::note_advance(HostTime now) {
  const bool goes_on = report_.state == FollowState::kFollowing;
  if (goes_on) {
    const Nanoseconds since = now - advanced_;
    interval_ = interval_ == 0ns ? since : interval_ + (since - interval_) / kSmoothing;
  } else if (report_.state == FollowState::kHolding && heard_.size() > 1) {
    heard_.erase(heard_.begin(), heard_.end() - 1);  // no rate spans a standstill
  }
  report_.state = FollowState::kFollowing;
  advanced_ = now;
}

void PhysicsFollower::learn_rate() {
  const Nanoseconds span = heard_.back().at - heard_.front().at;
  if (span >= kLeastSpan) {
    report_.rate = ratio(heard_.back().physics - heard_.front().physics, span);
  }
}

bool PhysicsFollower::silent(HostTime now) const {
  return now - advanced_ > std::max(options_.hold_after, 4 * interval_);
}

SimTime PhysicsFollower::target(HostTime now) const {
  const Nanoseconds silence = now - advanced_;
  const Nanoseconds ahead = step_ > 0ns ? silence : std::min(silence, 2 * std::max(interval_, kLeastInterval));
  const Nanoseconds run{std::llround(static_cast<double>(ahead.count()) * report_.rate)};
  return reached_ + (step_ > 0ns ? std::min(run, step_) : run);
}

double PhysicsFollower::factor(HostTime now, SimTime sim) {
  if (report_.state == FollowState::kWaiting) {
    return 0;
  }
  const SimTime wanted_at = target(now);
  report_.offset = wanted_at - sim;
  if (silent(now) && sim >= reached_) {
    hold();
    return 0;
  }
  const bool runs = now - advanced_ <= 2 * std::max(interval_, kLeastInterval);
  const double rate = runs || step_ > 0ns ? report_.rate : 0;
  const double wanted = rate + ratio(report_.offset, options_.settle);
  // A step that is not answered ends where it ends, whatever the bounds.
  const bool at_end = step_ > 0ns && sim >= reached_ + step_;
  const double low = at_end || rate == 0 ? 0 : options_.slowest;
  report_.factor = at_end ? 0 : std::clamp(wanted, low, options_.fastest);
  const bool too_fast = step_ == 0ns && wanted > options_.fastest * (1 + kTolerance);
  note_saturation(now, too_fast || (low > 0 && wanted < low * (1 - kTolerance)));
  return report_.factor;
}

void PhysicsFollower::hold() {
  if (report_.state != FollowState::kHolding) {
    report_.state = FollowState::kHolding;
    ++report_.holds;
  }
  report_.factor = 0;
  report_.saturated = beyond_ = false;
}

void PhysicsFollower::note_saturation(HostTime now, bool saturated) {
  if (saturated && !beyond_) {
    saturated_since_ = now;
  }
  beyond_ = saturated;
  const bool lasts = beyond_ && now - saturated_since_ > options_.settle;
  report_.saturations += lasts && !report_.saturated ? 1 : 0;
  report_.saturated = lasts;
}

std::string beyond_bounds_text(const FollowReport& report, const FollowOptions& options) {
  const bool fast = report.offset > 0ns;
  const std::string_view key = fast ? "fastest" : "slowest";
  const double bound = fast ? options.fastest : options.slowest;
  if (fast ? report.rate > bound : report.rate < bound) {
    return fmt::format("physics runs at {:.0f} % of wall time, {} than simulation time may (follow: {{{}: {:.0f} %}})",
                       100 * report.rate, fast ? "faster" : "slower", key, 100 * bound);
  }
  return fmt::format(
      "simulation time is {:.3f} s {} physics' clock, which runs at {:.0f} % of wall time, and {} as it may (follow: "
      "{{{}: {:.0f} %}})",
      std::abs(static_cast<double>(report.offset.count())) / 1e9, fast ? "behind" : "ahead of", 100 * report.rate,
      fast ? "catches up as fast" : "waits for it as slowly", key, 100 * bound);
}

}  // namespace hilgate
