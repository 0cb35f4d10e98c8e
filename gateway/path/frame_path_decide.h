// SPDX-License-Identifier: Apache-2.0
// Part of the frame path, included by frame_path.h alone. What becomes of a delivery: its fate is drawn when it is
// sent.
#pragma once

#include "gateway/path/frame_path.h"

namespace hilgate {

template <FramePort Port, FramePool Pool>
inline LinkId FramePath<Port, Pool>::link_between(RobotId from, RobotId to) const noexcept {
  return link_of(from, to, parts_.directory.robots());
}

template <FramePort Port, FramePool Pool>
inline void FramePath<Port, Pool>::count_deliveries(RobotId from, std::span<const RobotId> receivers) noexcept {
  books_.totals.deliveries += receivers.size();
  for (const RobotId to : receivers) {
    books_.link(link_between(from, to)).deliveries.add();
  }
}

template <FramePort Port, FramePool Pool>
inline void FramePath<Port, Pool>::send(const Sending& sending, std::span<const RobotId> receivers) noexcept {
  count_deliveries(sending.from, receivers);
  if (parking_.on()) {
    return park(sending, receivers);
  }
  if (const std::uint32_t mtu = parts_.icmp_mtu[sending.from.value()];
      mtu > 0 && sending.frame.length - sending.payload > mtu) {
    tell_too_big(sending, mtu, receivers.front());
  }
  books_.share(sending.frame, receivers.size());
  switch (parts_.first_step[sending.from.value()]) {
    case FirstStep::kMedium:
      return send_on_medium(sending, receivers);
    case FirstStep::kAccessPoint:
      return relays_.send(*this, sending, receivers);
    case FirstStep::kDirect:
      break;
  }
  for (const RobotId to : receivers) {
    send_along(sending, link_between(sending.from, to));
  }
}

template <FramePort Port, FramePool Pool>
inline void FramePath<Port, Pool>::send_along(const Sending& sending, LinkId link) noexcept {
  LinkNow& now = parts_.fates.now(link);
  HeldFrame held = HeldFrame::of(sending.frame, sending.frame.arrived + now.delay);
  if (parts_.fates.clean(sending, now)) {
    return put_into_hold(held, link);
  }
  const Fate fate = decide(sending, {link, link}, now, held);
  held.due = HostTime{fate.delay};
  send_on(held, link, sending.frame.arrived, fate);
}

// One transmission, heard by all receivers, each in its own way. Lost ones take air time all the same.
template <FramePort Port, FramePool Pool>
inline void FramePath<Port, Pool>::send_on_medium(const Sending& sending, std::span<const RobotId> receivers) noexcept {
  const bool room = parts_.medium.has_room(sending.from, sending.group ? AirJob::kGroup : receivers.front().value());
  AirJob job{.arrived = sending.frame.arrived, .length = sending.frame.length};
  for (const RobotId to : receivers) {
    const LinkId link = link_between(sending.from, to);
    const HeldFrame held = HeldFrame::of(sending.frame, HostTime{});
    if (room) {
      join_transmission(sending, held, {link, link}, job);
    } else {
      books_.drop(held, link, DropReason::kQueueFull);
    }
  }
  if (room && job.air_time.count() > 0) {
    parts_.medium.enqueue(sending.from, job);
  }
}

// One receiver of a transmission.
template <FramePort Port, FramePool Pool>
inline void FramePath<Port, Pool>::join_transmission(const Sending& sending, HeldFrame held, const Passage& passage,
                                                     AirJob& job) noexcept {
  LinkNow& now = parts_.fates.now(passage.air);
  const Fate fate = decide(sending, passage, now, held);
  const LinkRules& rules = parts_.fates.rules(passage.air);
  const PhyMode& mode = parts_.fates.mode(now, sending.group);
  if (fate.lost == DropReason::kTooLong) {
    return books_.drop(held, passage.link, *fate.lost);  // not sent at all
  }
  shape(job, mode, fate, tries_of(rules, sending.group), sending.group);
  job.mode = now.mode(sending.group);
  job.to = sending.group ? AirJob::kGroup : static_cast<std::uint32_t>(passage.air.value() % parts_.directory.robots());
  if (fate.lost) {
    return books_.drop(held, passage.link, *fate.lost);
  }
  // The medium times the repeats: what is left of the delay is not the sender's.
  held.due = HostTime{fate.delay - rules.retry_delay * fate.failing_tries};
  if (fate.copy) {
    if (const auto copy = copy_of(held, passage.link, *fate.copy)) {
      put_on_air(sending, *copy, passage, job);
    }
  }
  put_on_air(sending, held, passage, job);
}

template <FramePort Port, FramePool Pool>
inline Fate FramePath<Port, Pool>::decide(const Sending& sending, const Passage& passage, LinkNow& now,
                                          HeldFrame& held) noexcept {
  Fate fate = parts_.fates.draw(sending, passage.air, now);
  if (const auto lost = account(fate, sending, passage, now, held)) {
    fate.lost = lost;
  }
  return fate;
}

// What a fate is to one delivery; a reason when there is no memory for it.
template <FramePort Port, FramePool Pool>
inline std::optional<DropReason> FramePath<Port, Pool>::account(const Fate& fate, const Sending& sending,
                                                                const Passage& passage, LinkNow& now,
                                                                HeldFrame& held) noexcept {
  const LinkId link = passage.link;
  books_.link(link).failed_tries.add(fate.failing_tries);
  if (fate.marked) {
    ++books_.totals.marked;
    books_.link(link).marked.add();
  }
  held.loose = fate.loose;
  if (fate.errors > 0 && !books_.note_damage(parts_.fates.note(sending, passage.air, now, fate), link, held)) {
    return DropReason::kNoBuffer;
  }
  return fate.lost;
}

// A second delivery of the same frame, with the same damage, `after` the first; nothing when there is no memory for
// it.
template <FramePort Port, FramePool Pool>
inline std::optional<HeldFrame> FramePath<Port, Pool>::copy_of(const HeldFrame& held, LinkId link,
                                                               Nanoseconds after) noexcept {
  HeldFrame copy = held;
  copy.due += after;
  books_.pool().share(held.frame(), 1);
  books_.add_copy(link);
  ++books_.totals.duplicated;
  books_.link(link).duplicated.add();
  if (held.damage != kNoNode) {
    copy.damage = kNoNode;
    const DamageNote note = books_.note(held);
    if (!books_.note_damage(note, link, copy)) {
      books_.drop(copy, link, DropReason::kNoBuffer);
      return std::nullopt;
    }
  }
  return copy;
}

}  // namespace hilgate
