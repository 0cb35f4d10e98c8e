// SPDX-License-Identifier: Apache-2.0
// Part of the frame path, included by frame_path.h alone. Whether there is something to do, and when: asked by a loop
// that would sleep (idle_wait.h), between two iterations.
#pragma once

#include "gateway/path/frame_path.h"

namespace hilgate {

/// A port that a sleeping loop can wait for. One that lacks this is looked at now and then.
template <class P>
concept WakingPort = requires(const P& port, void (*each)(int)) {
  port.each_arrival_fd(each);                      // descriptors that are readable while frames wait to be captured
  { port.arrivals_wake() } -> std::same_as<bool>;  // there are such, for all its frames
  { port.unfinished() } -> std::same_as<bool>;     // frames wait to leave, or memory is short: it needs iterations
};

template <FramePort Port, FramePool Pool>
inline std::uint64_t FramePath<Port, Pool>::activity() const noexcept {
  const PathTotals& totals = books_.totals;
  return totals.frames_captured + totals.released + totals.injected + totals.crossed_in + totals.crossed_out +
         totals.changes;
}

template <FramePort Port, FramePool Pool>
inline HostTime FramePath<Port, Pool>::next_due() const noexcept {
  HostTime next = std::min(parts_.medium.next_event(), parts_.rates.next_service());
  next = std::min(next, relays_.next_due());
  return hold_.empty() ? next : std::min(next, hold_.next_due());
}

template <FramePort Port, FramePool Pool>
inline bool FramePath<Port, Pool>::has_input() noexcept {
  for (CrossingRing* ring : crossings_.from) {
    if (ring->front() != nullptr) {
      return true;
    }
  }
  return parking_.has_order() || (tap_.on() && tap_.next() != nullptr) || (wants_tables() && parts_.fates.has_table());
}

template <FramePort Port, FramePool Pool>
inline bool FramePath<Port, Pool>::ports_unfinished() const noexcept {
  return any_port([](const Port& port) {
    if constexpr (WakingPort<Port>) {
      return port.unfinished();
    }
    return false;
  });
}

template <FramePort Port, FramePool Pool>
inline bool FramePath<Port, Pool>::arrivals_wake() const noexcept {
  return !any_port([](const Port& port) {
    if constexpr (WakingPort<Port>) {
      return !port.arrivals_wake();
    }
    return true;
  });
}

template <FramePort Port, FramePool Pool>
template <class Each>
inline void FramePath<Port, Pool>::each_arrival_fd(Each each) const noexcept {
  for (const Port* port : ports_) {
    if constexpr (WakingPort<Port>) {
      if (port != nullptr) {
        port->each_arrival_fd(each);
      }
    }
  }
}

template <FramePort Port, FramePool Pool>
template <class Is>
inline bool FramePath<Port, Pool>::any_port(Is is) const noexcept {
  return std::any_of(ports_.begin(), ports_.end(), [is](const Port* port) { return port != nullptr && is(*port); });
}

// Each path whose ring was written to, once an iteration: a fence for each frame would be felt.
template <FramePort Port, FramePool Pool>
inline void FramePath<Port, Pool>::wake_receivers() noexcept {
  for (CrossingRing* ring : crossings_.to) {
    ring->announce();
  }
}

}  // namespace hilgate
