// SPDX-License-Identifier: Apache-2.0
// The window engine's paces that have a clock: boundaries, and what missing them costs.
#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "gateway/run/windows/window_engine.h"

namespace hilgate {
namespace {

constexpr Nanoseconds kShortest{1};

}  // namespace

void WindowEngine::reschedule() {
  if (running_ && !lockstep()) {
    wake_at_boundary();
  }
}

void WindowEngine::begin_anew(std::uint64_t window, SimTime begin) {
  const bool may_owe = options_.without_waiting;  // what they answer then is for the window before the first
  if (!running_ || lockstep() || (!may_owe && (physics_side_.busy || network_side_.busy))) {
    throw std::logic_error("windows begin anew while a simulator is at work");
  }
  running_ = false;
  options_.first_window = origin_window_ = current_ = next_ = window;
  options_.begin = origin_sim_ = begin;
  attend_by_ = SimTime::max();
  unchanged_ = 0;
  to_network_ = {};
  to_physics_ = {};
  links_fresh_ = false;
  desk_.expire_all();
  if (!desk_.forgotten().empty()) {
    sink_.expired(desk_.forgotten());
  }
  for (Side* side : {&physics_side_, &network_side_}) {
    side->next_window = side->busy && window > 0 ? window - 1 : window;
    side->steps_done = 0;
    side->begins = side->next_window * side->steps;
  }
  begin_at(timeline_->begin(timer_.now(), options_.window));
}

void WindowEngine::change_window(Nanoseconds length) {
  next_length_ = length;
  reschedule();
}

// At a boundary, so that no instant is in windows of two lengths.
void WindowEngine::take_next_length(std::uint64_t window) {
  const auto length = std::exchange(next_length_, std::nullopt);
  if (!length || *length == options_.window) {
    return;
  }
  origin_sim_ = begin_of(window);
  origin_window_ = window;
  options_.window = *length;
  for (Side* side : {&physics_side_, &network_side_}) {
    side->step = options_.window;
    if (!side->busy) {  // one that is ends its window first
      leave_other_lengths(*side);
    }
  }
}

// What is left of the windows before the change cannot be asked for: begin_of() knows one length.
void WindowEngine::leave_other_lengths(Side& side) const {
  if (side.next_window < origin_window_) {
    side.stats.skipped += origin_window_ - side.next_window;
    side.next_window = origin_window_;
  }
}

std::uint64_t WindowEngine::window() const {
  if (next_ <= current_ + 1) {
    return current_;
  }
  const SimTime now = std::max(sim_at(timer_.now()), begin_of(current_));
  const auto passed = static_cast<std::uint64_t>((now - begin_of(current_)) / options_.window);
  return std::min(current_ + passed, next_ - 1);
}

void WindowEngine::wake_at_boundary() {
  wake_at(window() + 1);
}

void WindowEngine::wake_at(std::uint64_t window) {
  next_ = window;
  // A boundary that time had passed before it came to stand, while this thread was held up, is still to be served: time
  // may wait for what begins there.
  if (timeline_->stands() && begin_of(window) > sim_at(timer_.now())) {
    timer_.cancel();
  } else {
    timer_.at(boundary_at(window), [this] { boundary(); });
  }
}

// Waking up for a window costs more than the window.
void WindowEngine::pass_unchanged() {
  constexpr Nanoseconds kLongest{20'000'000};  // of host time: who asks for numbers of windows gets them in good time
  if (!options_.pass_unchanged || !running_ || next_length_ || physics_side_.next_window <= current_ ||
      network_side_.next_window <= current_) {
    return;
  }
  const SimTime from = begin_of(current_);
  const Nanoseconds still =
      std::min({physics_.unchanged_until(from), network_.unchanged_until(from), attend_by_}) - from;
  const Nanoseconds length = boundary_at(current_ + 1) - boundary_at(current_);
  auto windows = static_cast<std::uint64_t>(std::min(still / options_.window, kLongest / std::max(length, kShortest)));
  if (options_.windows > 0) {
    windows = std::min(windows, options_.windows - current_);
  }
  if (windows > 1) {
    wake_at(current_ + windows);
  }
}

// The windows up to the one that is waited for have been as the one before them.
void WindowEngine::take_unchanged() {
  unchanged_ = next_ - (current_ + 1);
  current_ += unchanged_;
  for (Side* side : {&physics_side_, &network_side_}) {
    side->next_window += unchanged_;
    side->begins += unchanged_;
    side->stats.windows += unchanged_;
  }
}

void WindowEngine::boundary() {
  if (options_.physics_is_clock && physics_side_.next_window <= current_) {
    timeline_->await_physics(timer_.now());
    return;
  }
  boundaries_.record(timer_.now() - boundary_at(next_));
  if (next_ > current_ + 1) {
    take_unchanged();
  }
  for (Side* side : {&physics_side_, &network_side_}) {
    if (side->ready && side->next_window <= current_) {
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
  pass_unchanged();
}

// After a stall the missed windows are run one by one, or skipped when no simulator needs them.
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
    stop(fmt::format("{} missed the deadline of window {}; the run stops (late: halt)", side.name, side.next_window));
  }
}

}  // namespace hilgate
