// SPDX-License-Identifier: Apache-2.0
// Mesh media: stations forward one another's frames. A frame to one robot goes from station to station as
// LinkTable::routes has it when the frame is at each of them; every hop waits for the medium and has a fate of its own,
// with repeats, on the link between the two stations. A frame to a group is flooded: each station that receives it
// sends it once more, and what comes again is discarded (IEEE 802.11-2020, 14.8; RFC 3626, 3.4).
//
// Between two transmissions a frame is in its station for the forwarding time, which is random, because stations that
// receive a flooded frame at the same instant would otherwise repeat it at the same instant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "clock/time.h"
#include "frame/drop_reason.h"
#include "frame/slab.h"
#include "path/air/medium.h"
#include "path/air_delivery.h"
#include "path/delivery_budget.h"
#include "path/delivery_ledger.h"
#include "path/due_lists.h"
#include "path/fate/link_fates.h"
#include "path/link_stage.h"
#include "path/medium_stage.h"
#include "path/path_parts.h"
#include "path/rate_stage.h"
#include "rf_profiles/numeric/random.h"

namespace hilgate {

/// Frames in the stations of meshes, and the rules by which they continue. Does not allocate after construction.
template <FramePool Pool>
class MeshRelays {
 public:
  /// Room for `deliveries` between transmissions. The references must outlive the relays.
  MeshRelays(std::size_t deliveries, PathParts& parts, const DeliveryBudget& budget, DeliveryLedger<Pool>& ledger,
             MediumStage<Pool>& medium, LinkStage<Pool>& links, RateStage<Pool>& rates)
      : parts_(parts),
        budget_(budget),
        ledger_(ledger),
        medium_(medium),
        links_(links),
        rates_(rates),
        forwarded_(deliveries) {}

  /// A frame has been captured from a station of a mesh.
  void enqueue_mesh(const Sending& sending, std::span<const RobotSlot> receivers) noexcept {
    if (sending.group) {
      return flood(sending, receivers);
    }
    for (const RobotSlot to : receivers) {
      const LinkSlot link = parts_.link_between(sending.from, to);
      send_on(sending.from,
              {.pending = PendingDelivery::of(sending.frame, link),
               .air = link,
               .payload = static_cast<std::uint16_t>(sending.payload)},
              sending.frame.arrived);
    }
  }

  /// A hop has been received: at the end of its way, or by a station that forwards it.
  void receive_relayed(AirDelivery delivery, HostTime on_air_until) noexcept {
    const RobotSlot at = parts_.receiver_of(delivery.air);
    if (at == parts_.receiver_of(delivery.pending.link)) {
      return rates_.enqueue_rate(delivery.pending, on_air_until, std::nullopt);
    }
    const MeshForwarding* const rules = parts_.medium.mesh_of(at);
    if (rules == nullptr) {
      return ledger_.drop(delivery.pending, DropReason::kRelayGone);
    }
    if (medium_.damage_now(delivery)) {
      forwarded_.push(medium_.put(delivery), on_air_until + delivery.pending.delay + forwarding(*rules, at));
    }
  }

  /// A transmission of a flooded frame has ended: those that receive it have it, and repeat it.
  void receive_flooded(const AirResult& result) noexcept {
    NodeIndex token = result.deliveries;
    const AirDelivery sent = medium_.take_first(token);
    for (NodeIndex list = std::exchange(medium_.floods()[sent.flood].waiting, kNoNode); list != kNoNode;) {
      AirDelivery delivery = medium_.take_first(list);
      if (!receive(result, sent, delivery)) {
        NodeIndex& waiting = medium_.floods()[sent.flood].waiting;
        waiting = medium_.put(delivery, waiting);
      }
    }
    medium_.end_flood_part(sent.flood, std::nullopt);
  }

  /// When the next frame is forwarded; HostTime::max() without one.
  [[nodiscard]] HostTime next_due() const { return forwarded_.next_due(); }

  /// The frame that is forwarded first: to the medium of its station.
  void dequeue_forwarded() noexcept {
    DueLists::Load load = forwarded_.pop();
    const AirDelivery delivery = medium_.take_first(load.list);
    if (delivery.hop == Hop::kFlood) {
      transmit_flood(delivery, load.due);
    } else {
      send_on(parts_.receiver_of(delivery.air), delivery, load.due);
    }
  }

  /// Whether another station than its sender has the frame.
  [[nodiscard]] bool is_relayed(const AirDelivery& delivery) const noexcept {
    return (delivery.hop == Hop::kRelay || delivery.hop == Hop::kFlood) && delivery.hops > 1;
  }

  void drop_all(DropReason reason) noexcept {
    forwarded_.drain([&](NodeIndex list) { medium_.drop_list(list, reason); });
  }

  [[nodiscard]] std::size_t bytes() const { return forwarded_.bytes(); }

 private:
  // The next hop of a delivery that station `at` has; its link and payload are set, its hops are those so far.
  void send_on(RobotSlot at, const AirDelivery& delivery, HostTime ready) noexcept {
    const RobotSlot to = parts_.receiver_of(delivery.pending.link);
    const auto next = parts_.fates.next_hop(at, to);
    Frame frame = delivery.pending.frame();
    frame.arrived = ready;
    const Sending sending{frame, at, delivery.payload, false};
    AirJob job{.arrived = ready, .length = frame.length};
    if (const auto refused = refuses(at, to, next, delivery.hops)) {
      return ledger_.drop(delivery.pending, *refused);
    }
    job.category = medium_.category_of(sending);
    if (!parts_.medium.has_room(at, ready, AirJob::kGroup, 0, job.category)) {
      return ledger_.drop(delivery.pending, DropReason::kQueueFull);
    }
    medium_.add_receiver(sending, delivery.pending,
                         {delivery.pending.link, parts_.link_between(at, next.value()), Hop::kRelay}, job);
    for (NodeIndex node = job.deliveries; node != kNoNode; node = medium_[node].next) {
      medium_[node].hops = static_cast<std::uint8_t>(delivery.hops + 1);
    }
    medium_.enqueue_job(at, job);
  }

  [[nodiscard]] std::optional<DropReason> refuses(RobotSlot at, RobotSlot to, OptionalIndex<RobotSlot> next,
                                                  std::uint32_t hops) const noexcept {
    const MeshForwarding* const rules = parts_.medium.mesh_of(at);
    if (rules == nullptr) {
      return DropReason::kRelayGone;
    }
    if (hops >= rules->hop_limit) {
      return DropReason::kHopLimit;
    }
    if (!next) {
      return parts_.medium.in_one_domain(at, to) ? DropReason::kNoRoute : DropReason::kUnreachable;
    }
    return std::nullopt;
  }

  // ---- groups ----

  void flood(const Sending& sending, std::span<const RobotSlot> receivers) noexcept {
    const NodeIndex flood = medium_.floods().take();
    if (flood != kNoNode) {
      medium_.floods()[flood] = {.length = sending.frame.length, .category = medium_.category_of(sending)};
      medium_.add_flood_part(static_cast<std::uint16_t>(flood));
    }
    for (const RobotSlot to : receivers) {
      const LinkSlot link = parts_.link_between(sending.from, to);
      const AirDelivery delivery{.pending = PendingDelivery::of(sending.frame, link),
                                 .air = link,
                                 .payload = static_cast<std::uint16_t>(sending.payload),
                                 .hop = Hop::kRelay,
                                 .group = true};
      if (const auto refused = refuses_group(sending, to)) {
        ledger_.drop(delivery.pending, *refused);
      } else if (!add_waiting(flood, delivery)) {
        ledger_.drop(delivery.pending, DropReason::kHoldFull);
      }
    }
    if (flood != kNoNode) {
      transmit_flood({.pending = {},
                      .air = parts_.link_between(sending.from, sending.from),
                      .hop = Hop::kFlood,
                      .group = true,
                      .flood = static_cast<std::uint16_t>(flood)},
                     sending.frame.arrived);
    }
  }

  bool add_waiting(NodeIndex flood, const AirDelivery& delivery) noexcept {
    if (flood == kNoNode || budget_.full(delivery.pending.link)) {
      return false;
    }
    const NodeIndex node = medium_.put(delivery, medium_.floods()[flood].waiting);
    if (node != kNoNode) {
      medium_.floods()[flood].waiting = node;
    }
    return node != kNoNode;
  }

  [[nodiscard]] std::optional<DropReason> refuses_group(const Sending& sending, RobotSlot to) const noexcept {
    const std::uint32_t longest = parts_.fates.rules(parts_.link_between(sending.from, to)).mtu_bytes;
    if (!parts_.medium.in_one_domain(sending.from, to)) {
      return DropReason::kUnreachable;
    }
    return longest > 0 && sending.frame.length - sending.payload > longest ? DropReason::kTooLong
                                                                           : std::optional<DropReason>{};
  }

  // A station sends a flooded frame; `token` is one of the parts ahead of it, its hops are those so far.
  void transmit_flood(AirDelivery token, HostTime ready) noexcept {
    const RobotSlot at = parts_.sender_of(token.air);
    const Flood& flood = medium_.floods()[token.flood];
    if (flood.waiting == kNoNode && token.hops == 0) {
      return medium_.end_flood_part(token.flood, std::nullopt);
    }
    if (parts_.medium.mesh_of(at) == nullptr) {
      return medium_.end_flood_part(token.flood, DropReason::kRelayGone);
    }
    if (!parts_.medium.has_room(at, ready, AirJob::kGroup, 0, flood.category)) {
      return medium_.end_flood_part(token.flood, DropReason::kQueueFull);
    }
    AirJob job{.arrived = ready, .length = flood.length, .mode = parts_.medium.group_mode(at)};
    job.category = flood.category;
    shape(job, parts_.fates.mode(job.mode), Fate{}, 1, true);
    ++token.hops;
    job.deliveries = medium_.put(token);
    if (job.deliveries == kNoNode) {
      return medium_.end_flood_part(token.flood, DropReason::kHoldFull);
    }
    medium_.enqueue_job(at, job);
  }

  // Whether the receiver of a delivery has this transmission; then the delivery continues, and the receiver repeats it.
  bool receive(const AirResult& result, const AirDelivery& sent, AirDelivery& delivery) noexcept {
    const RobotSlot from = parts_.sender_of(sent.air);
    const RobotSlot to = parts_.receiver_of(delivery.pending.link);
    const LinkSlot air = delivery.air = parts_.link_between(from, to);
    if (from == to || !parts_.fates.state(air).reachable) {
      return false;
    }
    if (!medium_.received(result, delivery)) {
      delivery.lost = DropReason::kCollision;
      return false;
    }
    Frame frame = delivery.pending.frame();
    frame.arrived = result.on_air_until;
    const Sending sending{frame, from, delivery.payload, true};
    LinkNow& now = parts_.fates.now(air);
    Fate fate = links_.draw(sending, {delivery.pending.link, air, Hop::kRelay}, now, delivery.pending);
    if (fate.lost) {
      delivery.lost = *fate.lost;
      if (delivery.pending.damage != kNoNode) {
        ledger_.take_note(delivery.pending);
      }
      return false;
    }
    delivery.pending.delay = MediumStage<Pool>::delay_behind(fate, parts_.fates.rules(air));
    const HostTime here = result.on_air_until + delivery.pending.delay;
    links_.enqueue_rate(delivery.pending, result.on_air_until, fate);
    repeat(sent, to, here);
    return true;
  }

  void repeat(const AirDelivery& sent, RobotSlot at, HostTime here) noexcept {
    const MeshForwarding* const rules = parts_.medium.mesh_of(at);
    if (rules == nullptr || sent.hops >= rules->hop_limit) {
      return;
    }
    AirDelivery token = sent;
    token.air = parts_.link_between(at, at);
    const NodeIndex node = medium_.put(token);
    if (node != kNoNode) {
      medium_.add_flood_part(sent.flood);
      forwarded_.push(node, here + forwarding(*rules, at));
    }
  }

  // A station's own stream; apart from those of links and of its backoff.
  [[nodiscard]] Nanoseconds forwarding(const MeshForwarding& rules, RobotSlot at) noexcept {
    constexpr std::uint32_t kForwardingStream = 0xC000'0000;
    const auto span = static_cast<std::uint64_t>((rules.most_forwarding - rules.least_forwarding).count());
    FrameRandom random = parts_.fates.random_of(kForwardingStream | at.value(), forwards_++);
    return rules.least_forwarding + Nanoseconds{static_cast<std::int64_t>(random.below(span + 1))};
  }

  PathParts& parts_;
  const DeliveryBudget& budget_;
  DeliveryLedger<Pool>& ledger_;
  MediumStage<Pool>& medium_;
  LinkStage<Pool>& links_;
  RateStage<Pool>& rates_;
  DueLists forwarded_;
  std::uint64_t forwards_ = 0;
};

}  // namespace hilgate
