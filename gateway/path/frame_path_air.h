// SPDX-License-Identifier: Apache-2.0
// Part of the frame path, included by frame_path.h alone. Behind the fate: the medium of a radio, the queue of a rate,
// the hold.
#pragma once

#include "gateway/path/frame_path.h"

namespace hilgate {

template <FramePort Port, FramePool Pool>
inline void FramePath<Port, Pool>::put_on_air(const Sending& sending, const HeldFrame& held, const Passage& passage,
                                              AirJob& job) noexcept {
  const NodeIndex node = waiting() < hold_frames_ ? on_air_.take() : kNoNode;
  if (node == kNoNode) {
    return books_.drop(held, passage.link, DropReason::kHoldFull);
  }
  on_air_[node] = {held,        passage.link, job.deliveries, passage.air, static_cast<std::uint16_t>(sending.payload),
                   passage.hop, sending.group};
  job.deliveries = node;
}

// Frames go from the air to the air again over access points: then all events are taken in the order of time.
template <FramePort Port, FramePool Pool>
inline void FramePath<Port, Pool>::advance_air(HostTime now) noexcept {
  const auto done = [this](const AirResult& result) { leave_air(result); };
  if (!parts_.infrastructure.on() && relays_.next_due() == HostTime::max()) {
    return parts_.medium.advance(now, done);
  }
  for (;;) {
    const HostTime crossed = relays_.next_due();
    if (!parts_.medium.advance_once(std::min(now, crossed), done)) {
      if (crossed > now) {
        return;
      }
      relays_.serve(*this);
    }
  }
}

template <FramePort Port, FramePool Pool>
inline void FramePath<Port, Pool>::leave_air(const AirResult& result) noexcept {
  if (result.lost) {
    return drop_list(result.deliveries, *result.lost);
  }
  if (result.deliveries != kNoNode && on_air_[result.deliveries].hop == Hop::kUp) {
    return relays_.enter(*this, result.deliveries, result.on_air_until);
  }
  for (NodeIndex node = result.deliveries; node != kNoNode;) {
    const AirDelivery delivery = on_air_[node];
    on_air_.give_back(node);
    node = delivery.next;
    if (!result.met.empty() && !heard_through(result, delivery.air)) {
      books_.drop(delivery.held, delivery.link, DropReason::kCollision);
    } else if (delivery.hop == Hop::kDown) {
      relays_.leave(*this, delivery, result.on_air_until);
    } else {
      pass_on(delivery.held, delivery.link, result.on_air_until, std::nullopt);
    }
  }
}

template <FramePort Port, FramePool Pool>
inline bool FramePath<Port, Pool>::heard_through(const AirResult& result, LinkId link) const noexcept {
  const auto robots = static_cast<std::uint32_t>(parts_.directory.robots());
  return parts_.medium.received(result, link.value() / robots, link.value() % robots);
}

template <FramePort Port, FramePool Pool>
inline void FramePath<Port, Pool>::drop_list(NodeIndex list, DropReason reason) noexcept {
  while (list != kNoNode) {
    const AirDelivery delivery = on_air_[list];
    on_air_.give_back(list);
    list = delivery.next;
    books_.drop(delivery.held, delivery.link, reason);
  }
}

// A delivery and, if fate says so, its copy. `held.due` counts from `ready`.
template <FramePort Port, FramePool Pool>
inline void FramePath<Port, Pool>::send_on(const HeldFrame& held, LinkId link, HostTime ready,
                                           const Fate& fate) noexcept {
  if (fate.copy && !fate.lost) {
    if (const auto copy = copy_of(held, link, *fate.copy)) {
      pass_on(*copy, link, ready, std::nullopt);
    }
  }
  pass_on(held, link, ready, fate.lost);
}

// Behind the medium: the queue of the link's rate, then the hold. `held.due` counts from `ready` on, or from the end
// of the transmission. What an outage or distance takes does not get as far as the queue.
template <FramePort Port, FramePool Pool>
inline void FramePath<Port, Pool>::pass_on(HeldFrame held, LinkId link, HostTime ready,
                                           std::optional<DropReason> lost) noexcept {
  const bool sent = !lost || (*lost != DropReason::kOutage && *lost != DropReason::kUnreachable);
  if (sent && parts_.rates.limits(link)) {
    if (waiting() >= hold_frames_) {
      return books_.drop(held, link, DropReason::kHoldFull);
    }
    return parts_.rates.push(link, {held, ready, lost}, [this, link](const QueuedDelivery& refused) {
      books_.drop(refused.held, link, DropReason::kQueueFull);
    });
  }
  if (lost) {
    return books_.drop(held, link, *lost);
  }
  held.due = ready + held.due.time_since_epoch();
  put_into_hold(held, link);
}

template <FramePort Port, FramePool Pool>
inline void FramePath<Port, Pool>::leave_queue(LinkId link, const QueuedDelivery& sent, HostTime end) noexcept {
  if (sent.lost) {
    return books_.drop(sent.held, link, *sent.lost);
  }
  HeldFrame held = sent.held;
  held.due = end + held.due.time_since_epoch();
  put_into_hold(held, link);
}

// What waited in a queue of the old parts: in the new one of its link, also beyond its limit; sent now without one.
template <FramePort Port, FramePool Pool>
inline void FramePath<Port, Pool>::requeue(LinkId link, const QueuedDelivery& waiting, const PathParts& old,
                                           HostTime now) noexcept {
  if (!parts_.rates.limits(link)) {
    return leave_queue(link, waiting, now);
  }
  parts_.rates.take_over(link, waiting, old.rates.free_at(link));
}

template <FramePort Port, FramePool Pool>
inline void FramePath<Port, Pool>::put_into_hold(const HeldFrame& held, LinkId link) noexcept {
  if (!crossings_.to_port.empty()) {
    if (CrossingRing* ring = crossings_.to_port[port_to(link).value()]) {
      return cross(held, link, *ring);
    }
  }
  const bool room = waiting() < hold_frames_;
  if (!room || !(held.loose ? hold_.push_loose(link, held) : hold_.push(link, held))) {
    return books_.drop(held, link, DropReason::kHoldFull);
  }
  hold_.look_ahead(link, [this](const HeldFrame& soon) { books_.pool().fetch(soon.frame()); });
}

}  // namespace hilgate
