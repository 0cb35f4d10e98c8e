// SPDX-License-Identifier: Apache-2.0
// The window engine's beginning: with its simulators, or without those that are not there yet.
#include <algorithm>
#include <utility>

#include "gateway/run/windows/window_engine.h"

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

}  // namespace hilgate
