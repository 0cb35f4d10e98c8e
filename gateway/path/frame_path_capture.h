// SPDX-License-Identifier: Apache-2.0
// Part of the frame path, included by frame_path.h alone. What arrives: who sent it, who could hear it, and what goes
// past the air.
#pragma once

#include "gateway/path/frame_path.h"

namespace hilgate {

// ---- capture and classify ----

// False: there was nothing.
template <FramePort Port, FramePool Pool>
inline bool FramePath<Port, Pool>::capture() noexcept {
  std::array<Frame, kBurst> burst;
  const std::uint64_t before = books_.totals.frames_captured;
  for (std::uint32_t i = 0; i < ports_.size(); ++i) {
    if (ports_[i] == nullptr) {
      continue;
    }
    const std::size_t count = ports_[i]->capture(burst);
    books_.totals.frames_captured += count;
    if (tap_.hears()) {
      tap_.listen({burst.data(), count}, PortId{i});
    }
    for (std::size_t at = 0; at < count; ++at) {
      books_.totals.bytes_captured += burst[at].length;
    }
    for (std::size_t at = 0; at < count;) {
      const std::span<const Frame> left(burst.data() + at, count - at);
      const std::size_t train = take_train(left, PortId{i});
      if (train == 0) {
        prefetch(left);
        classify(left.front(), PortId{i});
      }
      at += std::max<std::size_t>(train, 1);
    }
  }
  return books_.totals.frames_captured != before;
}

// The headers of frames that come soon.
template <FramePort Port, FramePool Pool>
inline void FramePath<Port, Pool>::prefetch(std::span<const Frame> frames) noexcept {
  if (kPrefetchAhead < frames.size()) {
    __builtin_prefetch(frames[kPrefetchAhead].data);
  }
}

// Frames at the front that do what classify() and send_along() would, but all on one link, without draw and
// damage: what they share is looked up once. Returns how many there are; they are dealt with.
template <FramePort Port, FramePool Pool>
inline std::size_t FramePath<Port, Pool>::take_train(std::span<const Frame> frames, PortId ingress) noexcept {
  const FlowCache& flows = parts_.flows[ingress.value()];
  const auto is_next = [&](const Frame& frame) {
    const std::span<const std::byte> head(frame.data, frame.head_length);
    return head.size() >= kEthernetHeader && frame.length <= frame_limit_ && flows.find(head) != nullptr &&
           (parts_.ptp[ingress.value()] == PtpPassage::kThroughAir || !may_be_ptp(head));
  };
  if (parking_.on() || !is_next(frames.front())) {
    return 0;
  }
  const FlowCache::Flow& flow = flows.remembered();
  if (parts_.first_step[flow.from.value()] != FirstStep::kDirect) {
    return 0;
  }
  const LinkId link = link_between(flow.from, flow.to);
  LinkNow& now = parts_.fates.now(link);
  const PhyMode& mode = parts_.fates.mode(now, false);
  std::size_t train = 0;
  while (train < frames.size() && is_next(frames[train]) &&
         arrives_clean(now, mode, frames[train].length, kEthernetHeader, false)) {
    prefetch(frames.subspan(train));
    put_into_hold(HeldFrame::of(frames[train], frames[train].arrived + now.delay), link);
    ++train;
  }
  books_.totals.deliveries += train;
  books_.link(link).deliveries.add(train);
  return train;
}

// Who sent it, who could hear it.
template <FramePort Port, FramePool Pool>
inline void FramePath<Port, Pool>::classify(const Frame& frame, PortId ingress) noexcept {
  const std::span<const std::byte> head(frame.data, frame.head_length);
  FlowCache& flows = parts_.flows[ingress.value()];
  const bool ptp =
      parts_.ptp[ingress.value()] != PtpPassage::kThroughAir && may_be_ptp(head) && find_ptp(head).has_value();
  if (!ptp && head.size() >= kEthernetHeader && frame.length <= frame_limit_) {
    if (const FlowCache::Flow* flow = flows.find(head)) {
      return send({frame, flow->from, kEthernetHeader, false}, {&flow->to, 1});
    }
  }
  const auto ethernet = parse_ethernet(head);
  if (!ethernet) {
    return books_.refuse(frame, DropReason::kRunt);
  }
  if (frame.length > frame_limit_) {
    return books_.refuse(frame, DropReason::kOversize);
  }
  const auto sender = parts_.directory.sender(ingress, *ethernet);
  if (const DropReason* reason = std::get_if<DropReason>(&sender)) {
    return books_.refuse(frame, *reason);
  }
  const Sending sending{frame, std::get<RobotId>(sender), ethernet->payload, ethernet->destination.is_group()};
  const auto receivers = parts_.directory.receivers(sending.from, head, *ethernet);
  if (receivers.empty()) {
    return books_.refuse(frame, DropReason::kNoReceiver);
  }
  if (ethernet->payload == kEthernetHeader && parts_.directory.knows(ethernet->destination)) {
    flows.remember(head, {sending.from, receivers.front()});
  }
  ptp ? pass_ptp(sending, ingress, receivers) : send(sending, receivers);
}

// ---- beside the air ----

template <FramePort Port, FramePool Pool>
inline void FramePath<Port, Pool>::pass_ptp(const Sending& sending, PortId ingress,
                                            std::span<const RobotId> receivers) noexcept {
  if (parts_.ptp[ingress.value()] == PtpPassage::kKeep) {
    return books_.refuse(sending.frame, DropReason::kPtpKept);
  }
  count_deliveries(sending.from, receivers);
  books_.share(sending.frame, receivers.size());
  for (const RobotId to : receivers) {
    const LinkId link = link_between(sending.from, to);
    HeldFrame held = HeldFrame::of(sending.frame, sending.frame.arrived);
    held.ptp = held.loose = true;
    if (parts_.ptp[port_to(link).value()] == PtpPassage::kKeep) {
      books_.drop(held, link, DropReason::kPtpKept);
    } else {
      put_into_hold(held, link);
    }
  }
}

// Frames of our own: the air is not asked.
template <FramePort Port, FramePool Pool>
inline void FramePath<Port, Pool>::inject() noexcept {
  for (std::size_t i = 0; i < kInjectionsPerIteration; ++i) {
    const Injection* wanted = tap_.next();
    if (wanted == nullptr) {
      return;
    }
    books_.inject(wanted->frame(), ports_[wanted->port.value()]);
    tap_.done();
  }
}

template <FramePort Port, FramePool Pool>
inline void FramePath<Port, Pool>::tell_too_big(const Sending& sending, std::uint32_t mtu, RobotId receiver) noexcept {
  const auto answer = too_big_.answer({sending.frame.data, sending.frame.head_length}, mtu, sending.from.value(),
                                      sending.frame.arrived, parts_.speakers[receiver.value()]);
  if (!answer.empty()) {
    books_.inject(answer, ports_[parts_.directory.port_of(sending.from).value()]);
  }
}

}  // namespace hilgate
