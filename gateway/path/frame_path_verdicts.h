// SPDX-License-Identifier: Apache-2.0
// Part of the frame path, included by frame_path.h alone. Frames that wait for what a network simulator says of them.
#pragma once

#include "gateway/path/frame_path.h"

namespace hilgate {

template <FramePort Port, FramePool Pool>
inline void FramePath<Port, Pool>::park(const Sending& sending, std::span<const RobotId> receivers) noexcept {
  const auto refused = parking_.park(
      {.frame = sending.frame, .from = sending.from, .payload = sending.payload, .group = sending.group}, receivers);
  if (refused) {
    for (const RobotId to : receivers) {
      books_.count_drop(link_between(sending.from, to), *refused);
    }
    books_.pool().free(sending.frame);
  }
}

template <FramePort Port, FramePool Pool>
inline void FramePath<Port, Pool>::obey_orders(HostTime now) noexcept {
  ParkedOrder order;
  for (std::size_t i = 0; i < kOrdersPerIteration && parking_.next_order(order); ++i) {
    if (Parking::Place* place = parking_.find(order.packet)) {
      obey(order, *place, now);
    }
  }
}

template <FramePort Port, FramePool Pool>
inline void FramePath<Port, Pool>::obey(const ParkedOrder& order, Parking::Place& place, HostTime now) noexcept {
  if (order.what == ParkedOrder::What::kForget) {
    return forget(place, order.reason);
  }
  const Parking::Claim claim = parking_.decide(place, order.to);
  if (claim == Parking::Claim::kNobody) {
    return;
  }
  const LinkId link = link_between(place.from, order.to);
  if (order.what == ParkedOrder::What::kDeliver) {
    if (claim == Parking::Claim::kAgain) {
      ++books_.totals.copies;
      books_.add_copy(link);
    }
    deliver(order, place, link, now);
  } else if (claim == Parking::Claim::kFirst) {
    books_.count_drop(link, order.reason);
  }
}

// The rate of the verdict takes the place of a link's state; what configuration adds to the link stays.
template <FramePort Port, FramePool Pool>
inline void FramePath<Port, Pool>::deliver(const ParkedOrder& order, const Parking::Place& place, LinkId link,
                                           HostTime now) noexcept {
  const auto frame = frame_of(order, place, link);
  if (!frame) {
    return;
  }
  LinkNow& state = parts_.fates.judged(link, BitHazard{reference_errors_ ? 0 : -std::log1p(-order.ber)});
  const HostTime asked = order.due == VerdictRings::kNow ? now : order.due + state.delay;
  if (asked < now) {
    books_.totals.asked_late.add(now - asked);
  }
  HeldFrame held = HeldFrame::of(*frame, HostTime{});
  const Fate fate = decide({*frame, place.from, place.payload, place.group}, {link, link}, state, held);
  held.due = HostTime{fate.delay - state.delay};
  send_on(held, link, std::max(asked, now), fate);
}

// The delivery's frame: the parked one, or a copy of its own for what the reference does to it.
template <FramePort Port, FramePool Pool>
inline std::optional<Frame> FramePath<Port, Pool>::frame_of(const ParkedOrder& order, const Parking::Place& place,
                                                            LinkId link) noexcept {
  if (!reference_errors_) {
    books_.pool().share(place.frame, 1);
    return place.frame;
  }
  auto frame = place.frame.head_length == place.frame.length ? books_.pool().copy(place.frame) : std::nullopt;
  if (!frame) {
    books_.count_drop(link, DropReason::kNoBuffer);
    return frame;
  }
  const std::uint32_t ip = place.group ? parts_.ipv4[order.to.value()] : 0;
  if (!spoil_as_reference({frame->data, frame->length}, place.payload, ip, order.ber, parts_.fates.random(link))) {
    parts_.fates.skip(link);
    books_.count_drop(link, DropReason::kHeaderHit);
    books_.pool().free(*frame);
    frame.reset();
  }
  return frame;
}

template <FramePort Port, FramePool Pool>
inline void FramePath<Port, Pool>::forget(Parking::Place& place, DropReason reason) noexcept {
  parking_.clear(place, [&](RobotId to) { books_.count_drop(link_between(place.from, to), reason); });
  books_.pool().free(place.frame);
}

}  // namespace hilgate
