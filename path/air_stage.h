// SPDX-License-Identifier: Apache-2.0
// Deliveries by radio: the media and what frames pass between two transmissions, the cable between access points and
// the stations of a mesh, advanced in the order of time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>

#include "clock/time.h"
#include "frame/drop_reason.h"
#include "frame/slab.h"
#include "path/air/medium.h"
#include "path/air_delivery.h"
#include "path/delivery_budget.h"
#include "path/delivery_ledger.h"
#include "path/fate/link_fates.h"
#include "path/link_stage.h"
#include "path/medium_stage.h"
#include "path/mesh_relays.h"
#include "path/path_parts.h"
#include "path/rate_stage.h"
#include "path/relays.h"

namespace hilgate {

template <FramePool Pool>
class AirStage {
 public:
  /// `on_air`: memory for deliveries on the air and on the cable. The references must outlive the stage.
  AirStage(PathParts& parts, const DeliveryBudget& budget, DeliveryLedger<Pool>& ledger, Slab<AirDelivery>& on_air,
           LinkStage<Pool>& links, RateStage<Pool>& rates)
      : parts_(parts),
        ledger_(ledger),
        rates_(rates),
        medium_(parts, budget, ledger, on_air, links),
        relays_(on_air.capacity(), parts, ledger, medium_, links),
        mesh_(on_air.capacity(), parts, budget, ledger, medium_, links, rates) {}

  void enqueue_medium(const Sending& sending, std::span<const RobotSlot> receivers) noexcept {
    medium_.enqueue_medium(sending, receivers);
  }
  void enqueue_mesh(const Sending& sending, std::span<const RobotSlot> receivers) noexcept {
    mesh_.enqueue_mesh(sending, receivers);
  }
  void enqueue_access_point(const Sending& sending, std::span<const RobotSlot> receivers) noexcept {
    relays_.enqueue_access_point(sending, receivers);
  }

  /// What has been transmitted, or has crossed the cable, up to `now`: to its next hop or to the rate of its link.
  /// Frames go from the air to the air again over access points and in a mesh: then all events are taken in the order
  /// of time.
  void dequeue_medium(HostTime now) noexcept {
    const auto done = [this](const AirResult& result) { transmitted(result); };
    if (!parts_.infrastructure.on() && !parts_.medium.has_mesh() && between_transmissions() == HostTime::max()) {
      return parts_.medium.advance(now, done);
    }
    for (;;) {
      const HostTime ready = between_transmissions();
      if (!parts_.medium.advance_once(std::min(now, ready), done)) {
        if (ready > now) {
          return;
        }
        relays_.next_due() <= mesh_.next_due() ? relays_.dequeue_cable() : mesh_.dequeue_forwarded();
      }
    }
  }

  /// When something is next transmitted, at the end of the cable or forwarded; HostTime::max() for never.
  [[nodiscard]] HostTime next_due() const noexcept {
    return std::min(parts_.medium.next_event(), between_transmissions());
  }

  /// Takes signals and attachments from the newest link table.
  void take_table(HostTime now) noexcept {
    parts_.medium.set_signals(parts_.fates.signals());
    if (parts_.infrastructure.on()) {
      relays_.take_attachments(now);
    }
  }

  /// Moves what waits in the media of another configuration into those of this one.
  void take_over(Medium& old, HostTime now) noexcept {
    parts_.medium.take_over(old, now, [this](const AirResult& result) {
      if (result.deliveries != kNoNode && mesh_.is_relayed(medium_[result.deliveries])) {
        return medium_.drop_list(result.deliveries, DropReason::kRelayGone);
      }
      transmitted(result);
    });
    relays_.take_attachments(now);
  }

  void drop_all(DropReason reason) noexcept {
    parts_.medium.drain([&](NodeIndex list) { medium_.drop_list(list, reason); });
    relays_.drop_all(reason);
    mesh_.drop_all(reason);
  }

  /// Nodes in the memory for deliveries that are none.
  [[nodiscard]] std::size_t no_deliveries() const noexcept { return medium_.flood_parts(); }

  [[nodiscard]] std::size_t bytes() const { return relays_.bytes() + mesh_.bytes(); }

 private:
  [[nodiscard]] HostTime between_transmissions() const noexcept {
    return std::min(relays_.next_due(), mesh_.next_due());
  }

  void transmitted(const AirResult& result) noexcept {
    if (result.disturbed > 0) {
      note_disturbed(result);
    }
    if (result.lost) {
      return medium_.drop_list(result.deliveries, *result.lost);
    }
    if (result.deliveries != kNoNode && medium_[result.deliveries].hop == Hop::kUp) {
      return relays_.enqueue_cable(result.deliveries, result.on_air_until);
    }
    if (result.deliveries != kNoNode && medium_[result.deliveries].hop == Hop::kFlood) {
      return mesh_.receive_flooded(result);
    }
    for (NodeIndex list = result.deliveries; list != kNoNode;) {
      const AirDelivery delivery = medium_.take_first(list);
      if (!medium_.received(result, delivery)) {
        ledger_.add_failed_tries(delivery.pending, 1);
        ledger_.drop(delivery.pending, DropReason::kCollision);
      } else if (result.radio_frame > 0 &&
                 parts_.fates.loses_radio_frame(delivery.air, result.radio_frame, result.bits, delivery.group)) {
        ledger_.add_failed_tries(delivery.pending, 1);
        ledger_.drop(delivery.pending, DropReason::kLostOnAir);
      } else if (delivery.hop == Hop::kDown) {
        relays_.receive_at_station(delivery, result.on_air_until);
      } else if (delivery.hop == Hop::kRelay) {
        mesh_.receive_relayed(delivery, result.on_air_until);
      } else {
        rates_.enqueue_rate(delivery.pending, result.on_air_until, std::nullopt);
      }
    }
  }

  void note_disturbed(const AirResult& result) noexcept {
    for (NodeIndex node = result.deliveries; node != kNoNode; node = medium_[node].next) {
      ledger_.add_failed_tries(medium_[node].pending, result.disturbed);
    }
  }

  PathParts& parts_;
  DeliveryLedger<Pool>& ledger_;
  RateStage<Pool>& rates_;
  MediumStage<Pool> medium_;
  Relays<Pool> relays_;
  MeshRelays<Pool> mesh_;
};

}  // namespace hilgate
