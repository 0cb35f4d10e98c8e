// SPDX-License-Identifier: Apache-2.0
// Part of the frame path, included by frame_path.h alone. What leaves: to the paths of other cores, and by the ports,
// at its instant.
#pragma once

#include "gateway/path/frame_path.h"

namespace hilgate {

// ---- crossing to other cores ----

template <FramePort Port, FramePool Pool>
inline void FramePath<Port, Pool>::cross(const HeldFrame& held, LinkId link, CrossingRing& ring) noexcept {
  Crossing crossing{.held = held, .link = link, .damaged = held.damage != kNoNode, .note = {}};
  if (crossing.damaged) {
    crossing.note = books_.note(held);
    crossing.held.damage = kNoNode;
  }
  if (!ring.push(crossing)) {
    return books_.drop(held, link, DropReason::kCrossingFull);
  }
  if (crossing.damaged) {
    HeldFrame gone = held;
    books_.take_note(gone);
  }
  ++books_.totals.crossed_out;
}

template <FramePort Port, FramePool Pool>
inline void FramePath<Port, Pool>::receive_crossings() noexcept {
  each_crossing(kCrossingsPerIteration, [this](const Crossing& crossing) {
    HeldFrame held = crossing.held;
    if (crossing.damaged && !books_.note_damage(crossing.note, crossing.link, held)) {
      return books_.drop(held, crossing.link, DropReason::kNoBuffer);
    }
    put_into_hold(held, crossing.link);
  });
}

template <FramePort Port, FramePool Pool>
template <class Each>
inline void FramePath<Port, Pool>::each_crossing(std::size_t most, Each each) noexcept {
  Crossing crossing;
  for (CrossingRing* ring : crossings_.from) {
    for (std::size_t i = 0; i < most && ring->pop(crossing); ++i) {
      ++books_.totals.crossed_in;
      each(crossing);
    }
  }
}

// ---- release ----

template <FramePort Port, FramePool Pool>
inline PortId FramePath<Port, Pool>::port_to(LinkId link) const noexcept {
  const Directory& directory = parts_.directory;
  return directory.port_of(RobotId{static_cast<std::uint32_t>(link.value() % directory.robots())});
}

template <FramePort Port, FramePool Pool>
inline void FramePath<Port, Pool>::flush() noexcept {
  for (Port* port : ports_) {
    if (port != nullptr) {
      port->flush();
    }
  }
}

// What falls due within an iteration's length would be late by half of it. An idle path makes it ready instead, waits,
// and lets it go at its instant.
template <FramePort Port, FramePool Pool>
template <HostClock Clock>
inline void FramePath<Port, Pool>::release_imminent(HostTime now, Clock& clock) noexcept {
  const Nanoseconds patience = clock.patience();
  if (hold_.empty() || patience == Nanoseconds{0} || hold_.next_due() - now > patience) {
    return;
  }
  const HostTime due = hold_.next_due();
  Port* port = nullptr;
  std::size_t ready = 0;
  hold_.pop_run(due, [&](LinkId link, std::span<HeldFrame> run) {
    port = ports_[port_to(link).value()];
    ready = run.size();
    release(link, run, clock);
  });
  HostTime at = clock.now();
  while (at < due) {
    at = clock.now();
  }
  port->flush();
  for (; ready > 0; --ready) {
    books_.totals.release_error.add(at - due);
  }
}

// What is more than that leaves in the next iterations: arrivals must not wait long behind a crowd.
template <FramePort Port, FramePool Pool>
template <HostClock Clock>
inline void FramePath<Port, Pool>::release_due(HostTime now, Clock& clock) noexcept {
  std::size_t released = 0;
  const auto each = [&](LinkId link, std::span<HeldFrame> run) {
    for (const HeldFrame& held : run) {
      books_.totals.release_error.add(now - held.due);
    }
    release(link, run, clock);
    released += run.size();
  };
  while (released < kReleasesPerIteration && hold_.pop_run(now, each)) {
  }
}

template <FramePort Port, FramePool Pool>
template <HostClock Clock>
inline void FramePath<Port, Pool>::release(LinkId link, std::span<HeldFrame> run, Clock& clock) noexcept {
  Port& port = *ports_[port_to(link).value()];
  std::uint64_t frames = 0;
  std::uint64_t bytes = 0;
  for (HeldFrame& held : run) {
    if ((held.damage != kNoNode && !books_.carry_out(held, link)) ||
        (held.ptp && !books_.add_residence(held, clock.now()))) {
      books_.drop(held, link, DropReason::kNoBuffer);
    } else if (!port.release(held.frame())) {
      books_.drop(held, link, DropReason::kTxFull);
    } else {
      ++frames;
      bytes += held.length;
    }
  }
  books_.totals.released += frames;
  books_.totals.bytes_released += bytes;
  books_.link(link).released.add(frames);
  books_.link(link).bytes_released.add(bytes);
}

template <FramePort Port, FramePool Pool>
inline void FramePath<Port, Pool>::note_held() noexcept {
  books_.totals.held = waiting() + parking_.waiting();
  books_.totals.held_most = std::max(books_.totals.held_most, books_.totals.held);
}

template <FramePort Port, FramePool Pool>
inline void FramePath<Port, Pool>::note_iteration(HostTime now) noexcept {
  PathTotals& totals = books_.totals;
  note_held();
  const auto length = static_cast<std::uint64_t>((now - last_iteration_).count());
  if (totals.iterations++ > 0) {
    totals.longest_iteration_ns = std::max(totals.longest_iteration_ns, length);
  }
  last_iteration_ = now;
}

}  // namespace hilgate
