// SPDX-License-Identifier: Apache-2.0
// Deliveries of senders that share a medium: one transmission for all receivers of a frame, each with a fate of its
// own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "clock/time.h"
#include "frame/drop_reason.h"
#include "frame/slab.h"
#include "path/air/medium.h"
#include "path/air_delivery.h"
#include "path/delivery_budget.h"
#include "path/delivery_ledger.h"
#include "path/fate/fate.h"
#include "path/fate/link_fates.h"
#include "path/link_stage.h"
#include "path/path_parts.h"
#include "path/ports/serial_payload.h"

namespace hilgate {

template <FramePool Pool>
class MediumStage {
 public:
  /// `on_air`: memory for the deliveries of all transmissions, and for those on the cable between access points. The
  /// references must outlive the stage.
  MediumStage(PathParts& parts, const DeliveryBudget& budget, DeliveryLedger<Pool>& ledger, Slab<AirDelivery>& on_air,
              LinkStage<Pool>& links)
      : parts_(parts), budget_(budget), ledger_(ledger), on_air_(on_air), links_(links) {}

  /// A frame to the transmit queue of its sender, for all receivers together. What is lost takes time on the air all
  /// the same.
  void enqueue_medium(const Sending& sending, std::span<const RobotSlot> receivers) noexcept {
    AirJob job{.arrived = sending.frame.arrived, .length = sending.frame.length};
    const bool serial = parts_.medium.is_serial(sending.from);
    if (serial) {
      job.left = serial_payload({sending.frame.data, sending.frame.head_length}, sending.frame.length, sending.payload);
    }
    job.category = category_of(sending);
    const std::uint32_t to = sending.group ? AirJob::kGroup : receivers.front().value();
    const bool room = parts_.medium.has_room(sending.from, job.arrived, to, job.left, job.category) ||
                      (serial && parts_.medium.make_room(sending.from, job.arrived, job.left, [this](NodeIndex list) {
                        drop_list(list, DropReason::kQueueFull);
                      }));
    for (const RobotSlot receiver : receivers) {
      const LinkSlot link = parts_.link_between(sending.from, receiver);
      const PendingDelivery delivery = PendingDelivery::of(sending.frame, link);
      if (room) {
        add_receiver(sending, delivery, {link, link}, job);
      } else {
        ledger_.drop(delivery, DropReason::kQueueFull);
      }
    }
    if (room) {
      enqueue_job(sending.from, job);
    }
  }

  /// AirJob::category.
  [[nodiscard]] AccessCategory category_of(const Sending& sending) const noexcept {
    const std::size_t head = std::min<std::size_t>(sending.payload, sending.frame.head_length);
    return parts_.medium.category_of(sending.from, {sending.frame.data + head, sending.frame.head_length - head});
  }

  /// Draws the fate of one receiver of a transmission and adds it to the job. Does not when nothing would be sent.
  void add_receiver(const Sending& sending, PendingDelivery delivery, const Passage& passage, AirJob& job) noexcept {
    LinkNow& now = parts_.fates.now(passage.air);
    const Fate fate = links_.draw(sending, passage, now, delivery);
    const LinkRules& rules = parts_.fates.rules(passage.air);
    const PhyMode& mode = parts_.fates.mode(now, sending.group);
    if (fate.lost == DropReason::kTooLong || (fate.lost == DropReason::kUnreachable && is_elsewhere(passage.air))) {
      return ledger_.drop(delivery, *fate.lost);
    }
    shape(job, mode, fate, tries_of(rules, sending.group), sending.group, parts_.fates.state(passage.air).probing_ns);
    job.mode = now.mode(sending.group);
    job.to = sending.group ? AirJob::kGroup : parts_.receiver_of(passage.air).value();
    if (fate.lost) {
      return ledger_.drop(delivery, *fate.lost);
    }
    delivery.delay = delay_behind(fate, rules);
    if (fate.copy) {
      if (const auto copy = links_.duplicate(delivery, *fate.copy)) {
        add_delivery(sending, *copy, passage, job);
      }
    }
    add_delivery(sending, delivery, passage, job);
  }

  /// Adds a delivery to those of the job; drops it when there is no room.
  void add_delivery(const Sending& sending, const PendingDelivery& delivery, const Passage& passage,
                    AirJob& job) noexcept {
    const NodeIndex node = budget_.full(delivery.link) ? kNoNode : on_air_.take();
    if (node == kNoNode) {
      return ledger_.drop(delivery, DropReason::kHoldFull);
    }
    on_air_[node] = {.pending = delivery,
                     .next = job.deliveries,
                     .air = passage.air,
                     .payload = static_cast<std::uint16_t>(sending.payload),
                     .hop = passage.hop,
                     .group = sending.group};
    job.deliveries = node;
  }

  /// Has the sender transmit what add_receiver() made of the job; nothing when that is nothing.
  void enqueue_job(RobotSlot sender, const AirJob& job) noexcept {
    if (job.air_time.count() > 0) {
      parts_.medium.enqueue(sender, job);
    }
  }

  /// What is left of a fate's delay after the transmission, which is timed with its repeats by the medium.
  [[nodiscard]] static Nanoseconds delay_behind(const Fate& fate, const LinkRules& rules) {
    return fate.delay - rules.retry_delay * fate.failing_tries;
  }

  // ---- lists of deliveries: those of a job, in the memory of the medium ----

  [[nodiscard]] AirDelivery& operator[](NodeIndex node) noexcept { return on_air_[node]; }
  void give_back(NodeIndex node) noexcept { on_air_.give_back(node); }
  /// A list of this delivery and those of `rest`; kNoNode when there is no memory.
  NodeIndex put(const AirDelivery& delivery, NodeIndex rest = kNoNode) noexcept {
    const NodeIndex node = on_air_.take();
    if (node != kNoNode) {
      on_air_[node] = delivery;
      on_air_[node].next = rest;
    }
    return node;
  }
  /// Takes the first delivery off its list.
  AirDelivery take_first(NodeIndex& list) noexcept {
    const NodeIndex node = list;
    const AirDelivery delivery = on_air_[node];
    on_air_.give_back(node);
    list = delivery.next;
    return delivery;
  }
  void drop_list(NodeIndex list, DropReason reason) noexcept {
    while (list != kNoNode) {
      const AirDelivery delivery = take_first(list);
      if (delivery.hop == Hop::kFlood) {
        end_flood_part(delivery.flood, reason);
      } else {
        ledger_.drop(delivery.pending, reason);
      }
    }
  }
  /// Damage of the last transmission is done before the next, which may add its own. False: no memory, and dropped.
  bool damage_now(AirDelivery& delivery) noexcept {
    if (delivery.pending.damage == kNoNode || ledger_.apply_damage(delivery.pending)) {
      return true;
    }
    ledger_.drop(delivery.pending, DropReason::kNoBuffer);
    return false;
  }

  // ---- group frames that a mesh floods (mesh_relays.h) ----

  [[nodiscard]] Slab<Flood>& floods() noexcept { return floods_; }
  /// One transmission more is ahead of the flood; it has a node among the deliveries.
  void add_flood_part(std::uint16_t flood) noexcept {
    ++floods_[flood].parts;
    ++flood_parts_;
  }
  /// Nodes among the deliveries that are none.
  [[nodiscard]] std::size_t flood_parts() const noexcept { return flood_parts_; }
  /// One transmission less is ahead of the flood. After the last one its deliveries that are left are dropped: as what
  /// lost them last, else as `reason`, because of which the last transmission was not made.
  void end_flood_part(std::uint16_t flood, std::optional<DropReason> reason) noexcept {
    Flood& ended = floods_[flood];
    ended.refused = reason ? reason : ended.refused;
    --flood_parts_;
    if (--ended.parts > 0) {
      return;
    }
    while (ended.waiting != kNoNode) {
      const AirDelivery delivery = take_first(ended.waiting);
      ledger_.drop(delivery.pending,
                   delivery.lost != DropReason::kCount ? delivery.lost : ended.refused.value_or(DropReason::kNoRoute));
    }
    floods_.give_back(flood);
  }

  /// Whether the delivery was received in spite of what else was on the air.
  [[nodiscard]] bool received(const AirResult& result, const AirDelivery& delivery) const noexcept {
    return result.interferers.empty() || parts_.medium.received(result, parts_.sender_of(delivery.air).value(),
                                                                parts_.receiver_of(delivery.air).value());
  }

 private:
  /// Whether the receiver has no radio on the sender's medium. A frame to it is not transmitted: address resolution
  /// finds no such neighbour on that medium, so that a real radio would never be given the frame. In infrastructure
  /// mode stations change their medium, and the relays decide.
  [[nodiscard]] bool is_elsewhere(LinkSlot link) const noexcept {
    return !parts_.infrastructure.on() &&
           !parts_.medium.in_one_domain(parts_.sender_of(link), parts_.receiver_of(link));
  }

  PathParts& parts_;
  const DeliveryBudget& budget_;
  DeliveryLedger<Pool>& ledger_;
  Slab<AirDelivery>& on_air_;
  LinkStage<Pool>& links_;
  Slab<Flood> floods_{kFloods};
  std::size_t flood_parts_ = 0;
};

}  // namespace hilgate
