// SPDX-License-Identifier: Apache-2.0
#include "clock/servo/physics_follower.h"

#include <algorithm>
#include <chrono>
#include <cmath>

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
  const bool first = heard_.empty() && report_.heard == 0;
  ++report_.heard;
  if (first || jumped(shown, sim)) {
    report_.jumps += first ? 0 : 1;
    zero_ = shown - sim.time_since_epoch();
    heard_.clear();
  }
  heard_.push_back({now, shown});
  while (heard_.size() > 2 && now - heard_[1].at >= kMemory) {
    heard_.pop_front();
  }
  reached_ = SimTime{shown - zero_};
  note_advance(now);
  learn_rate();
}

void PhysicsFollower::note_step(HostTime now, SimTime end, Nanoseconds length, Nanoseconds took) {
  ++report_.heard;
  const double rate = std::min(ratio(length, std::max(took, Nanoseconds{1})), options_.fastest);
  report_.rate = step_ == 0ns ? rate : report_.rate + kStepSmoothing * (rate - report_.rate);
  step_ = length;
  reached_ = end;
  note_advance(now);
}

bool PhysicsFollower::jumped(Nanoseconds physics, SimTime sim) const {
  const bool backwards = !heard_.empty() && physics < heard_.back().physics;
  const Nanoseconds offset = physics - zero_ - sim.time_since_epoch();
  return backwards || std::chrono::abs(offset) > options_.jump;
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
  note_saturation(now, too_fast || wanted < low * (1 - kTolerance));
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

}  // namespace hilgate
