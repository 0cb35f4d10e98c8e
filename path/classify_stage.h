// SPDX-License-Identifier: Apache-2.0
// Stage 2: the sender of a frame, and its possible receivers. Drops frames that have no sender or no receiver.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "clock/ptp/ptp_passage.h"
#include "frame/frame.h"
#include "frame/headers.h"
#include "path/addresses/directory.h"
#include "path/delivery_ledger.h"
#include "path/flow_cache.h"
#include "path/path_parts.h"
#include "path/ports/unknown_senders.h"

namespace hilgate {

template <FramePool Pool>
class ClassifyStage {
 public:
  /// `frame_limit`: bytes without FCS; longer frames are dropped. The references must outlive the stage.
  ClassifyStage(std::uint32_t frame_limit, PathParts& parts, DeliveryLedger<Pool>& ledger)
      : frame_limit_(frame_limit),
        parts_(parts),
        ledger_(ledger),
        beside_air_(parts.ptp.size()),
        unknown_(parts.ptp.size()) {}

  /// The first of `frames`, which came in on `ingress` and of which there is at least one, and those after it that are
  /// known to be of the same unicast flow.
  FlowRun classify(std::span<const Frame> frames, PortSlot ingress) noexcept {
    prefetch(frames);
    const FlowCache& flows = parts_.flows[ingress.value()];
    const PtpPassage ptp = parts_.ptp[ingress.value()];
    if (!within_share(frames.front())) {
      return refuse(frames.first(1), DropReason::kMemoryShare);
    }
    if (!is_known(frames.front(), flows, ptp)) {
      return look_up(frames.first(1), ingress);
    }
    std::size_t count = 1;
    for (; count < frames.size() && is_known(frames[count], flows, ptp) && within_share(frames[count]); ++count) {
      prefetch(frames.subspan(count));
    }
    const FlowCache::Flow& flow = flows.remembered();
    return {.frames = frames.first(count), .from = flow.from, .to = {&flow.to, 1}, .payload = kEthernetHeader};
  }

  /// The robots have changed: an unknown sender may be one now.
  void forget_unknown_senders() noexcept { unknown_.forget(); }
  [[nodiscard]] const UnknownSenders& unknown_senders() const { return unknown_; }

 private:
  static constexpr std::size_t kPrefetchAhead = 4;

  // The headers of frames that come soon.
  static void prefetch(std::span<const Frame> frames) noexcept {
    if (kPrefetchAhead < frames.size()) {
      __builtin_prefetch(frames[kPrefetchAhead].data);
    }
  }

  // Whether the frame is of the flow that its port saw last.
  [[nodiscard]] bool is_known(const Frame& frame, const FlowCache& flows, PtpPassage ptp) const noexcept {
    const std::span<const std::byte> head(frame.data, frame.head_length);
    return head.size() >= kEthernetHeader && frame.length <= frame_limit_ && flows.find(head) != nullptr &&
           !is_ptp(head, ptp);
  }

  // Whether there is memory for it: a robot whose frames wait for long must not take that of others. Pools that do not
  // know whose a buffer is have no shares.
  [[nodiscard]] bool within_share(const Frame& frame) noexcept {
    if constexpr (requires(Pool & pool) { pool.within_share(frame); }) {
      return ledger_.pool().within_share(frame);
    } else {
      return true;
    }
  }

  static bool is_ptp(std::span<const std::byte> head, PtpPassage ptp) noexcept {
    return ptp != PtpPassage::kThroughAir && may_be_ptp(head) && find_ptp(head).has_value();
  }

  // PTP that the port keeps, or that bypasses the air. What is no clock's message, or more than clocks send, goes
  // through the air.
  [[nodiscard]] bool goes_beside_air(const Frame& frame, std::span<const std::byte> head, PortSlot ingress) noexcept {
    const PtpPassage ptp = parts_.ptp[ingress.value()];
    if (ptp == PtpPassage::kThroughAir || !may_be_ptp(head)) {
      return false;
    }
    const auto place = find_ptp(head);
    if (!place || ptp == PtpPassage::kKeep) {
      return place.has_value();
    }
    return may_pass_beside_air(head, frame.length, *place) && beside_air_[ingress.value()].take(frame.arrived);
  }

  FlowRun look_up(std::span<const Frame> one, PortSlot ingress) noexcept {
    const Frame& frame = one.front();
    const std::span<const std::byte> head(frame.data, frame.head_length);
    const auto ethernet = parse_ethernet(head);
    if (!ethernet) {
      return refuse(one, DropReason::kRunt);
    }
    if (frame.length > frame_limit_) {
      return refuse(one, DropReason::kOversize);
    }
    const auto sender = parts_.directory.sender(ingress, *ethernet, frame.arrived);
    if (const DropReason* reason = std::get_if<DropReason>(&sender)) {
      if (*reason == DropReason::kUnknownSender) {
        unknown_.note(ingress, ethernet->source);
      }
      return refuse(one, *reason);
    }
    if (parts_.directory.take_move()) {
      std::ranges::for_each(parts_.flows, [](FlowCache& flows) { flows.forget(); });
    }
    const RobotSlot from = std::get<RobotSlot>(sender);
    const std::span<const RobotSlot> to = parts_.directory.receivers(from, head, *ethernet);
    if (to.empty()) {
      return refuse(one, DropReason::kNoReceiver);
    }
    if (ethernet->payload == kEthernetHeader && parts_.directory.knows(ethernet->destination)) {
      parts_.flows[ingress.value()].remember(head, {from, to.front()});
    }
    return {.frames = one,
            .from = from,
            .to = to,
            .payload = ethernet->payload,
            .group = is_group(*ethernet, from, to),
            .ptp = goes_beside_air(frame, head, ingress)};
  }

  // What a serial line sends has no address: with a single other end it is for that.
  [[nodiscard]] bool is_group(const EthernetHeader& ethernet, RobotSlot from,
                              std::span<const RobotSlot> to) const noexcept {
    return to.size() > 1 || (ethernet.destination.is_group() && !parts_.directory.on_line(from));
  }

  FlowRun refuse(std::span<const Frame> one, DropReason reason) noexcept {
    ledger_.refuse(one.front(), reason);
    return {.frames = one};
  }

  const std::uint32_t frame_limit_;
  PathParts& parts_;
  DeliveryLedger<Pool>& ledger_;
  std::vector<PtpAllowance> beside_air_;  // by PortSlot
  UnknownSenders unknown_;
};

}  // namespace hilgate
