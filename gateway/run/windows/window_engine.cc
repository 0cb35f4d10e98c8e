// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/windows/window_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

// The window engine's beginning: with its simulators, or without those that are not there yet.

namespace hilgate {

void WindowEngine::start() {
  physics_.open({.ready = [this] { note_ready(physics_side_); },
                 .ended = [this](PhysicsAnswer& answer) { physics_ended(answer); },
                 .failed = [this](const std::string& why) { fail(physics_side_, why); },
                 .clock = [this](SimTime physics) { note_physics_clock(physics); }});
  network_.open({.ready = [this] { note_ready(network_side_); },
                 .ended = [this](NetworkAnswer& answer) { network_ended(answer); },
                 .failed = [this](const std::string& why) { fail(network_side_, why); }});
  if (options_.without_waiting && !running_ && !stopped_) {
    begin_at(timeline_->begin(timer_.now(), options_.window));
  }
}

void WindowEngine::note_ready(Side& side) {
  if (options_.without_waiting) {
    return join_late(side);
  }
  side.ready = true;
  if (running_ || stopped_ || !physics_side_.ready || !network_side_.ready) {
    return;
  }
  if (lockstep()) {
    begin_run();
  } else {
    begin_at(timeline_->begin(timer_.now(), options_.window));
  }
}

// Its time begins with the window at hand. One that comes again has its question still.
void WindowEngine::join_late(Side& side) {
  if (std::exchange(side.ready, true) || stopped_ || !running_) {
    return;
  }
  side.next_window = std::max(side.next_window, current_);
  side.begins = side.next_window * side.steps;
  pump();
}

void WindowEngine::begin_at(HostTime instant) {
  if (instant <= timer_.now()) {
    begin_run();
  } else {
    timer_.at(instant, [this] { begin_run(); });
  }
}

void WindowEngine::begin_run() {
  running_ = true;
  start_window(options_.first_window);
  pump();
}

namespace {

Nanoseconds or_window(Nanoseconds step, Nanoseconds window) {
  return step.count() > 0 ? step : window;
}

const WindowOptions& checked(const WindowOptions& options) {
  options.check();
  return options;
}

}  // namespace

template <class Words>
void WindowEngine::HandOver<Words>::change_hands() {
  if (made_whole && made_fresh) {
    std::swap(made, given);
    made_fresh = false;
    given_fresh = true;
  }
  made_whole = false;
}

WindowEngine::WindowEngine(const WindowOptions& options, WindowTimer& timer, PhysicsSimulator& physics,
                           NetworkSimulator& network, PacketSource& packets, WindowSink& sink)
    : options_(checked(options)),
      timer_(timer),
      physics_(physics),
      network_(network),
      sink_(sink),
      desk_(options_, packets),
      physics_side_{.name = "physics", .step = or_window(options.physics_step, options.window), .steps = 0},
      network_side_{.name = "netsim", .step = or_window(options.network_step, options.window), .steps = 0},
      even_(options.pace == Pace::kDilate ? options.dilation : Dilation{}, options.begin),
      origin_sim_(options.begin),
      origin_window_(options.first_window),
      current_(options.first_window),
      next_(options.first_window) {
  for (Side* side : {&physics_side_, &network_side_}) {
    side->steps = static_cast<std::uint64_t>(options_.window / side->step);
    side->next_window = options.first_window;
    side->begins = options.first_window * side->steps;
  }
}

// Simulators may answer from within begin(): a loop instead of recursion.
void WindowEngine::pump() {
  pump_again_ = true;
  if (pumping_) {
    return;
  }
  pumping_ = true;
  while (pump_again_ && running_) {
    pump_again_ = false;
    if (may_begin(physics_side_)) {
      begin_physics();
    }
    if (running_ && may_begin(network_side_) && !network_must_wait()) {
      begin_network();
    }
    if (running_ && lockstep() && physics_side_.next_window > current_ && network_side_.next_window > current_) {
      if (options_.windows > 0 && current_ + 1 >= options_.windows) {
        stop("");
      } else {
        start_window(current_ + 1);
        pump_again_ = true;
      }
    }
  }
  pumping_ = false;
}

// The barrier: what was made in the window before changes hands here and nowhere else.
void WindowEngine::start_window(std::uint64_t window) {
  take_next_length(window);
  current_ = window;
  if (options_.lag_one_window) {
    to_network_.change_hands();
  }
  to_physics_.change_hands();
  const SimTime from = begin_of(window);
  desk_.expire(window, from);
  if (!desk_.forgotten().empty()) {
    sink_.expired(desk_.forgotten());
  }
  if (std::exchange(links_fresh_, false)) {
    sink_.links(links_);
  }
  sink_.window_began({.window = window,
                      .from = from,
                      .at = lockstep() ? timer_.now() : boundary_at(window),
                      .unchanged = std::exchange(unchanged_, 0),
                      .scene = scene()});
  if (running_ && !lockstep()) {
    timeline_->window_began(timer_.now(), from, options_.window);
    wake_at_boundary();
  }
}

SimTime WindowEngine::begin_of(std::uint64_t window) const {
  return origin_sim_ + options_.window * static_cast<std::int64_t>(window - origin_window_);
}

bool WindowEngine::may_begin(Side& side) {
  if (side.busy || !side.ready || side.next_window > current_) {
    return false;
  }
  if (options_.recovery == Recovery::kSkip && side.steps_done == 0 && side.next_window < current_) {
    side.stats.skipped += current_ - side.next_window;
    side.next_window = current_;
  }
  return true;
}

// Without the lag the network works on physics' answer for the same window; but physics that is late already must
// not make the network late as well.
bool WindowEngine::network_must_wait() const {
  return !options_.lag_one_window && physics_side_.ready && physics_side_.next_window <= network_side_.next_window &&
         physics_side_.next_window >= current_;
}

Step WindowEngine::next_step(Side& side) {
  side.busy = true;
  side.begun = timer_.now();
  if (side.steps_done == 0) {
    side.deadline = begin_of(side.next_window + 1);
  }
  const SimTime from = begin_of(side.next_window) + side.step * static_cast<std::int64_t>(side.steps_done);
  return {.window = side.next_window, .number = side.begins++, .from = from, .length = side.step};
}

// True when that was the window's last step.
bool WindowEngine::end_step(Side& side) {
  const HostTime now = timer_.now();
  side.busy = false;
  side.stats.round_trip.record(now - side.begun);
  if (++side.steps_done < side.steps) {
    return false;
  }
  side.steps_done = 0;
  ++side.stats.windows;
  if (!lockstep()) {
    const HostTime deadline = host_at(side.deadline);
    if (now > deadline) {
      side.stats.late.record(now - deadline);
    }
  }
  ++side.next_window;
  leave_other_lengths(side);
  return true;
}

void WindowEngine::begin_physics() {
  const bool first = physics_side_.steps_done == 0;
  const bool fresh = first && std::exchange(to_physics_.given_fresh, false);
  physics_.begin({.step = next_step(physics_side_), .from_network = fresh ? &to_physics_.given : nullptr});
}

void WindowEngine::physics_ended(PhysicsAnswer& answer) {
  if (!running_) {
    physics_side_.busy = false;
    return finish_when_answered();
  }
  tell_timeline();
  const bool whole = end_step(physics_side_);
  if (answer.has_scene || !answer.payload.bytes.empty()) {
    keep_words(answer);
  }
  to_network_.made_whole = to_network_.made_whole || whole;
  if (whole && !options_.lag_one_window) {
    to_network_.change_hands();
  }
  pump();
}

void WindowEngine::note_physics_clock(SimTime physics) {
  timeline_->physics_clock(timer_.now(), physics);
}

// What advances by steps has no other clock.
void WindowEngine::tell_timeline() {
  if (options_.physics_is_clock) {
    const HostTime now = timer_.now();
    const auto done = static_cast<std::int64_t>(physics_side_.steps_done + 1);
    timeline_->physics_stepped(now, begin_of(physics_side_.next_window) + physics_side_.step * done, physics_side_.step,
                               now - physics_side_.begun);
    reschedule();
  }
}

// Absent parts keep their last value.
void WindowEngine::keep_words(PhysicsAnswer& answer) {
  PhysicsWords& made = to_network_.made;
  const PhysicsWords& before = to_network_.made_fresh ? made : to_network_.given;
  if (!answer.has_scene && &before != &made) {
    made.scene = before.scene;
  }
  if (answer.payload.bytes.empty() && &before != &made) {
    made.payload = before.payload;
  }
  if (answer.has_scene) {
    std::swap(made.scene, answer.scene);
  }
  if (!answer.payload.bytes.empty()) {
    std::swap(made.payload, answer.payload);
  }
  to_network_.made_fresh = true;
}

void WindowEngine::begin_network() {
  const bool first = network_side_.steps_done == 0;
  const Step step = next_step(network_side_);
  // In lockstep sim time is stopped while packets arrive, so whatever is there belongs to the window at hand.
  const SimTime before = lockstep() ? SimTime::max() : step.from;
  const auto packets = first ? desk_.offer(before, step.window) : std::span<const CapturedPacket>{};
  const PhysicsWords& words = to_network_.given;
  network_.begin({.step = step,
                  .packets = packets,
                  .scene = scene(),
                  .payload = words.payload.bytes.empty() ? nullptr : &words.payload,
                  .fresh = first && std::exchange(to_network_.given_fresh, false)});
}

void WindowEngine::network_ended(NetworkAnswer& answer) {
  if (!running_) {
    network_side_.busy = false;
    return finish_when_answered();
  }
  const bool whole = end_step(network_side_);
  desk_.judge(answer, lockstep() ? std::nullopt : std::optional(sim_at(timer_.now())));
  if (!desk_.verdicts().empty() || !desk_.forgotten().empty()) {
    sink_.verdicts(desk_.verdicts(), desk_.forgotten());
  }
  if (answer.has_links) {
    std::swap(links_, answer.links);
    if (options_.lag_one_window && !options_.links_at_once) {
      links_fresh_ = true;
    } else {
      sink_.links(links_);
    }
  }
  if (!answer.payload.bytes.empty()) {
    std::swap(to_physics_.made, answer.payload);
    to_physics_.made_fresh = true;
  }
  to_physics_.made_whole = to_physics_.made_whole || whole;
  pump();
}

}  // namespace hilgate

// The window engine's paces that have a clock: boundaries, and what missing them costs.

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
  constexpr Nanoseconds kLongest{20'000'000};  // of host time: keeps the window numbers that clients ask for current
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

// The window engine's end. Simulators that compute a step when the run ends would answer into a closed connection,
// which ends others' programs with a broken pipe: they are waited for.

namespace hilgate {
namespace {

constexpr Nanoseconds kLastAnswer = std::chrono::seconds(2);

}  // namespace

void WindowEngine::fail(const Side& side, const std::string& why) {
  stop(fmt::format("{} cannot continue: {}", side.name, why));
}

void WindowEngine::stop(const std::string& why) {
  if (!stopped_) {
    stopped_ = true;
    running_ = false;
    why_ = why;
    timer_.at(timer_.now() + kLastAnswer, [this] { finish(); });
  }
  finish_when_answered();
}

void WindowEngine::finish_when_answered() {
  if (stopped_ && !physics_.answering() && !network_.answering()) {
    finish();
  }
}

void WindowEngine::finish() {
  if (finished_) {
    return;
  }
  finished_ = true;
  timer_.cancel();
  physics_.close();
  network_.close();
  sink_.ended(why_);
}

}  // namespace hilgate
