// SPDX-License-Identifier: Apache-2.0
// Infrastructure mode: frames on their way over access points. A station sends everything to its access point, groups
// too (IEEE 802.11-2020, 9.3.2.1: To DS); over the distribution system, a cable with a delay, it comes to the access
// points of its receivers, which send it to their stations, a group once and without acknowledgement. Each of these
// transmissions waits for its medium, and has a fate of its own, drawn when the frame reaches its transmitter. What
// configuration does to the link between the two robots follows the last one.
//
// A station that roams keeps its frames, whose fates are drawn anew for the next access point; without one in reach
// they are dropped as not_associated. So is what comes for a station that is nowhere, and what waits at an access point
// that it has left: access points do not hand over what they hold.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "clock/time.h"
#include "frame/drop_reason.h"
#include "frame/slab.h"
#include "path/air/infrastructure.h"
#include "path/air/medium.h"
#include "path/air_delivery.h"
#include "path/delivery_ledger.h"
#include "path/due_lists.h"
#include "path/fate/link_fates.h"
#include "path/link_stage.h"
#include "path/medium_stage.h"
#include "path/path_parts.h"

namespace hilgate {

/// Frames on the cable between access points, and the rules by which frames change between cable and air. Does not
/// allocate after construction.
template <FramePool Pool>
class Relays {
 public:
  /// Room for `deliveries` on the cable. The references must outlive the relays.
  Relays(std::size_t deliveries, PathParts& parts, DeliveryLedger<Pool>& ledger, MediumStage<Pool>& medium,
         LinkStage<Pool>& links)
      : parts_(parts), ledger_(ledger), medium_(medium), links_(links), cable_(deliveries) {}

  /// A frame has been captured: from a station to the medium of its access point, from a wired robot to the cable.
  void enqueue_access_point(const Sending& sending, std::span<const RobotSlot> receivers) noexcept {
    const bool station = net().role(sending.from) == AirRole::kStation;
    const SlotAttachment at = net().of(sending.from);
    AirJob job{.arrived = sending.frame.arrived, .length = sending.frame.length};
    job.category = station ? medium_.category_of(sending) : job.category;
    std::optional<DropReason> refused;
    if (station && at.state == AttachmentState::kNone) {
      refused = DropReason::kNotAssociated;
    } else if (station && !parts_.medium.has_room(sending.from, job.arrived, AirJob::kGroup, 0, job.category)) {
      refused = DropReason::kQueueFull;
    }
    for (const RobotSlot to : receivers) {
      const LinkSlot link = parts_.link_between(sending.from, to);
      const PendingDelivery delivery = PendingDelivery::of(sending.frame, link);
      if (refused) {
        ledger_.drop(delivery, *refused);
      } else {
        medium_.add_delivery(sending, delivery, {link, link, station ? Hop::kUp : Hop::kDown}, job);
      }
    }
    if (job.deliveries == kNoNode) {
      return;
    }
    if (!station) {
      return enqueue_cable(job.deliveries, at.at, sending.frame.arrived);
    }
    if (at.state != AttachmentState::kAttached || aim(job, sending.from, at.at.value())) {
      parts_.medium.enqueue(sending.from, job);
    }
  }

  /// A station's transmission has been received by its access point: to the cable.
  void enqueue_cable(NodeIndex list, HostTime on_air_until) noexcept {
    const AirDelivery& first = medium_[list];
    enqueue_cable(list, parts_.receiver_of(first.air), on_air_until + first.pending.delay);
  }

  /// An access point's transmission has been received by a station: passes it to the stages after the air.
  void receive_at_station(const AirDelivery& delivery, HostTime on_air_until) noexcept {
    const RobotSlot to = parts_.receiver_of(delivery.air);
    if (net().role(to) != AirRole::kStation || !net().of(to).is_at(parts_.sender_of(delivery.air))) {
      return ledger_.drop(delivery.pending, DropReason::kNotAssociated);
    }
    continue_on_link(delivery, on_air_until + delivery.pending.delay);
  }

  /// When the next frame is at the end of the cable; HostTime::max() without one.
  [[nodiscard]] HostTime next_due() const { return cable_.next_due(); }

  /// The frame that is due first: to the media of its receivers' access points.
  void dequeue_cable() noexcept {
    const DueLists::Load crossed = cable_.pop();
    for (NodeIndex list = crossed.list; list != kNoNode;) {
      list = distribute(list, crossed.due);
    }
  }

  /// Moves stations to their attachments in the newest table.
  void take_attachments(HostTime now) noexcept {
    parts_.infrastructure.take(parts_.fates.table(),
                               [&](RobotSlot station, const SlotAttachment& before, const SlotAttachment& after) {
                                 move(station, before, after, now);
                               });
  }

  void drop_all(DropReason reason) noexcept {
    cable_.drain([&](NodeIndex list) { medium_.drop_list(list, reason); });
  }

  [[nodiscard]] std::size_t bytes() const { return cable_.bytes(); }

 private:
  [[nodiscard]] const Infrastructure& net() const noexcept { return parts_.infrastructure; }

  // ---- up ----

  // The transmission from a station to its access point, for all deliveries of the job alike. False: nothing is sent.
  bool aim(AirJob& job, RobotSlot from, RobotSlot access_point) noexcept {
    if (job.to == access_point.value() && !job.done) {
      return true;  // is on its way there already
    }
    if (job.deliveries == kNoNode) {
      return false;  // was lost on another way
    }
    job.done = job.received = job.handed_over = false;
    job.lost.reset();
    const AirDelivery& first = medium_[job.deliveries];
    Frame frame = first.pending.frame();
    frame.arrived = job.arrived;
    const Sending sending{frame, from, first.payload, false};
    LinkFates& fates = parts_.fates;
    const LinkSlot air = parts_.link_between(from, access_point);
    LinkNow& now = fates.now(air);
    const Fate fate = fates.draw(sending, air, now);
    if (fate.lost == DropReason::kTooLong) {
      medium_.drop_list(job.deliveries, *fate.lost);
      return false;
    }
    const LinkRules& rules = fates.rules(air);
    shape(job, fates.mode(now, false), fate, tries_of(rules, false), false, fates.state(air).probing_ns);
    job.mode = now.mode(false);
    job.to = access_point.value();
    for (NodeIndex node = std::exchange(job.deliveries, kNoNode); node != kNoNode;) {
      AirDelivery& delivery = medium_[node];
      const NodeIndex next = delivery.next;
      if (delivery.pending.damage != kNoNode) {
        ledger_.take_note(delivery.pending);  // of a try elsewhere that never was
      }
      const Passage passage{delivery.pending.link, air, Hop::kUp};
      if (const auto lost = links_.apply(fate, sending, passage, now, delivery.pending)) {
        ledger_.drop(delivery.pending, *lost);
        medium_.give_back(node);
      } else {
        delivery.pending.delay = MediumStage<Pool>::delay_behind(fate, rules);
        delivery.air = air;
        delivery.hop = Hop::kUp;
        delivery.next = std::exchange(job.deliveries, node);
      }
      node = next;
    }
    return true;
  }

  // ---- across ----

  // Receivers at the same access point are there at once; for all others the frame takes the cable.
  void enqueue_cable(NodeIndex list, OptionalIndex<RobotSlot> at, HostTime ready) noexcept {
    NodeIndex here = kNoNode;
    NodeIndex elsewhere = kNoNode;
    while (list != kNoNode) {
      const NodeIndex node = list;
      AirDelivery& delivery = medium_[node];
      list = delivery.next;
      if (!medium_.damage_now(delivery)) {
        medium_.give_back(node);
        continue;
      }
      const RobotSlot to = parts_.receiver_of(delivery.pending.link);
      const bool is_part = net().role(to) == AirRole::kStation || net().role(to) == AirRole::kWired;
      const bool local = at && is_part && net().of(to).is_at(at);
      delivery.next = std::exchange(local ? here : elsewhere, node);
    }
    cable_.push(here, ready);
    cable_.push(elsewhere, ready + net().delay());
  }

  // ---- down ----

  // The first of these deliveries, and all that go with it; returns the rest.
  NodeIndex distribute(NodeIndex list, HostTime now) noexcept {
    const RobotSlot to = parts_.receiver_of(medium_[list].pending.link);
    const AirRole role = net().role(to);
    if (role == AirRole::kStation && net().of(to).state == AttachmentState::kAttached) {
      return transmit(list, net().of(to).at.value(), now);
    }
    const AirDelivery first = medium_.take_first(list);
    if (role == AirRole::kWired) {
      continue_on_link(first, now);
    } else {
      ledger_.drop(first.pending, role == AirRole::kStation ? DropReason::kNotAssociated : DropReason::kUnreachable);
    }
    return list;
  }

  // An access point sends to those of the receivers that are its stations; returns the others.
  NodeIndex transmit(NodeIndex list, RobotSlot access_point, HostTime now) noexcept {
    AirJob job{.arrived = now, .length = medium_[list].pending.length};
    const Frame first = medium_[list].pending.frame();
    job.category = medium_.category_of({first, access_point, medium_[list].payload, medium_[list].group});
    const bool room = parts_.medium.has_room(access_point, now, AirJob::kGroup, 0, job.category);
    NodeIndex others = kNoNode;
    while (list != kNoNode) {
      const RobotSlot to = parts_.receiver_of(medium_[list].pending.link);
      if (net().role(to) != AirRole::kStation || !net().of(to).is_at(access_point)) {
        const NodeIndex next = medium_[list].next;
        medium_[list].next = std::exchange(others, list);
        list = next;
        continue;
      }
      const AirDelivery delivery = medium_.take_first(list);
      if (!room) {
        ledger_.drop(delivery.pending, DropReason::kQueueFull);
        continue;
      }
      Frame frame = delivery.pending.frame();
      frame.arrived = now;
      medium_.add_receiver({frame, access_point, delivery.payload, delivery.group}, delivery.pending,
                           {delivery.pending.link, parts_.link_between(access_point, to), Hop::kDown}, job);
    }
    medium_.enqueue_job(access_point, job);
    return others;
  }

  // After the last transmission.
  void continue_on_link(AirDelivery delivery, HostTime at) noexcept {
    if (!medium_.damage_now(delivery)) {
      return;
    }
    Frame frame = delivery.pending.frame();
    frame.arrived = at;
    const LinkSlot link = delivery.pending.link;
    links_.decide(
        {.frames = {&frame, 1}, .from = parts_.sender_of(link), .payload = delivery.payload, .group = delivery.group},
        link);
  }

  // ---- stations that move ----

  void move(RobotSlot station, const SlotAttachment& before, const SlotAttachment& after, HostTime now) noexcept {
    using State = AttachmentState;
    Medium& medium = parts_.medium;
    const auto lose = [this](NodeIndex list) { medium_.drop_list(list, DropReason::kNotAssociated); };
    medium.leave(station, now);
    if (before.state == State::kAttached) {
      medium.clear_to(before.at.value(), station, lose);
    }
    if (after.state == State::kAttached) {
      const RobotSlot point = after.at.value();
      medium.join(station, point, now, [&](AirJob& job) { return aim(job, station, point); });
    } else if (after.state == State::kNone) {
      medium.clear(station, lose);
    }
  }

  PathParts& parts_;
  DeliveryLedger<Pool>& ledger_;
  MediumStage<Pool>& medium_;
  LinkStage<Pool>& links_;
  DueLists cable_;
};

}  // namespace hilgate
