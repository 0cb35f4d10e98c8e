// SPDX-License-Identifier: Apache-2.0
// Frames that wait until a network simulator has decided about them, and its orders.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "clock/time.h"
#include "frame/drop_reason.h"
#include "path/answers/address_resolution.h"
#include "path/delivery_ledger.h"
#include "path/fate/link_fates.h"
#include "path/hold/held_frame.h"
#include "path/link_stage.h"
#include "path/path_parts.h"
#include "path/settings/path_settings.h"
#include "path/verdicts/parking.h"

namespace hilgate {

template <FramePool Pool>
class VerdictStage {
 public:
  /// The references must outlive the stage, the settings not.
  VerdictStage(const PathSettings& settings, PathParts& parts, DeliveryLedger<Pool>& ledger, LinkStage<Pool>& links)
      : reference_errors_(settings.reference_errors),
        around_(settings.resolution_unjudged ? settings.robots.size() : 0),
        parking_(settings.parked_packets, settings.robots.size()),
        parts_(parts),
        ledger_(ledger),
        links_(links) {}

  /// Whether verdicts decide about frames of any link.
  [[nodiscard]] bool on() const { return parking_.on(); }
  /// Whether verdicts decide about this one's, and not the state of the link.
  [[nodiscard]] bool judges(RobotSlot from, RobotSlot to) const {
    return on() && parts_.slot(from).judged && parts_.slot(to).judged;
  }

  /// Whether the frame bypasses the simulator, because it resolves addresses. Counts it against its sender's share.
  [[nodiscard]] bool goes_around(const Sending& sending) noexcept {
    const Frame& frame = sending.frame;
    return !around_.empty() && resolves_addresses({frame.data, frame.head_length}, frame.length, sending.payload) &&
           around_[sending.from.value()].take(frame.arrived);
  }

  /// As if the simulator had let the frame pass at once and undamaged; what configuration adds to the links stays.
  void pass_around(const Sending& sending, std::span<const RobotSlot> receivers) noexcept {
    ledger_.share(sending.frame, receivers.size());
    for (const RobotSlot to : receivers) {
      go_on(sending, parts_.link_between(sending.from, to), BitHazard{}, sending.frame.arrived);
    }
  }

  void enqueue_parking(const Sending& sending, std::span<const RobotSlot> receivers) noexcept {
    const auto refused = parking_.park(
        {.frame = sending.frame, .from = sending.from, .payload = sending.payload, .group = sending.group}, receivers);
    if (refused) {
      for (const RobotSlot to : receivers) {
        ledger_.count_drop(sending.frame, parts_.link_between(sending.from, to), *refused);
      }
      ledger_.pool().free(sending.frame);
    }
  }

  /// Executes at most `most` orders: deliveries continue at the rate of their link.
  void dequeue_parking(HostTime now, std::size_t most) noexcept {
    ParkedOrder order;
    for (std::size_t i = 0; i < most && parking_.next_order(order); ++i) {
      if (Parking::Entry* entry = parking_.find(order.packet)) {
        execute(order, *entry, now);
      }
    }
  }

  void drop_all(DropReason reason) noexcept {
    parking_.drain([&](Parking::Entry& entry) { forget(entry, reason); });
  }

  [[nodiscard]] bool has_order() { return parking_.has_order(); }
  /// Deliveries that wait.
  [[nodiscard]] std::size_t waiting() const { return parking_.waiting(); }
  [[nodiscard]] VerdictRings& rings() { return parking_.rings(); }
  [[nodiscard]] std::size_t bytes() const { return parking_.bytes(); }

 private:
  void execute(const ParkedOrder& order, Parking::Entry& entry, HostTime now) noexcept {
    if (order.what == ParkedOrder::What::kForget) {
      return forget(entry, order.reason);
    }
    const Parking::Claim claim = parking_.decide(entry, order.to);
    if (claim == Parking::Claim::kNobody) {
      return;
    }
    const LinkSlot link = parts_.link_between(entry.from, order.to);
    if (order.what == ParkedOrder::What::kDeliver) {
      if (claim == Parking::Claim::kAgain) {
        if (!parking_.claim_copy(entry, order.to)) {
          ledger_.refuse_ordered_copy();
          return;
        }
        ledger_.begin_ordered_copy(link);
      }
      deliver(order, entry, link, now);
    } else if (claim == Parking::Claim::kFirst) {
      ledger_.count_drop(entry.frame, link, order.reason);
    }
  }

  // The rate of the verdict replaces that of a link's state; what configuration adds to the link stays.
  void deliver(const ParkedOrder& order, const Parking::Entry& entry, LinkSlot link, HostTime now) noexcept {
    const auto frame = frame_of(order, entry, link);
    if (!frame) {
      return;
    }
    const HostTime asked = order.due == VerdictRings::kNow ? now : order.due;
    const BitHazard hazard{reference_errors_ ? 0 : -std::log1p(-order.ber)};
    const Nanoseconds late = now - go_on({*frame, entry.from, entry.payload, entry.group}, link, hazard, asked, now);
    if (late > Nanoseconds{0}) {
      ledger_.note_late_order(late);
    }
  }

  // From `asked` plus the delay that configuration adds, which is returned, or from `now` when that has passed.
  HostTime go_on(const Sending& sending, LinkSlot link, BitHazard hazard, HostTime asked, HostTime now = {}) noexcept {
    LinkNow& state = parts_.fates.judged(link, hazard);
    PendingDelivery delivery = PendingDelivery::of(sending.frame, link);
    const Fate fate = links_.draw(sending, {link, link}, state, delivery);
    delivery.delay = fate.delay - state.delay;
    asked += state.delay;
    links_.enqueue_rate(delivery, std::max(asked, now), fate);
    return asked;
  }

  // The delivery's frame: the parked one, or a copy of its own for what the reference does to it.
  std::optional<Frame> frame_of(const ParkedOrder& order, const Parking::Entry& entry, LinkSlot link) noexcept {
    if (!reference_errors_) {
      ledger_.pool().share(entry.frame, 1);
      return entry.frame;
    }
    auto frame = entry.frame.head_length == entry.frame.length ? ledger_.pool().copy(entry.frame) : std::nullopt;
    if (!frame) {
      ledger_.count_drop(entry.frame, link, DropReason::kNoBuffer);
      return frame;
    }
    if (ledger_.observer.on()) {
      Observer::copied(ledger_.pool(), entry.frame, *frame);
    }
    const std::uint32_t ip = entry.group ? parts_.slot(order.to).ipv4 : 0;
    if (!spoil_as_reference({frame->data, frame->length}, entry.payload, ip, order.ber, parts_.fates.random(link))) {
      parts_.fates.skip(link);
      ledger_.count_drop(*frame, link, DropReason::kHeaderHit);
      ledger_.pool().free(*frame);
      frame.reset();
    }
    return frame;
  }

  void forget(Parking::Entry& entry, DropReason reason) noexcept {
    parking_.clear(entry,
                   [&](RobotSlot to) { ledger_.count_drop(entry.frame, parts_.link_between(entry.from, to), reason); });
    ledger_.pool().free(entry.frame);
  }

  const bool reference_errors_;
  std::vector<ResolutionAllowance> around_;  // by slot; empty: all frames are judged
  Parking parking_;
  PathParts& parts_;
  DeliveryLedger<Pool>& ledger_;
  LinkStage<Pool>& links_;
};

}  // namespace hilgate
