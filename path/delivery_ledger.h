// SPDX-License-Identifier: Apache-2.0
// The account of all deliveries: how many there are and what became of each, the damage noted for those that wait, and
// their memory.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "clock/ptp/ptp_passage.h"
#include "frame/counters.h"
#include "frame/frame_bytes.h"
#include "frame/slab.h"
#include "frame/vlan.h"
#include "path/addresses/directory.h"
#include "path/fate/damage.h"
#include "path/hold/held_frame.h"
#include "path/link_tally.h"
#include "path/observer/observer.h"
#include "path/ports/pluggable_port.h"

namespace hilgate {

/// A delivery in either state: with its release time or before it.
template <class D>
concept Delivery = std::same_as<D, HeldFrame> || std::same_as<D, PendingDelivery>;

/// Used by one thread; counters by link are readable from any. Does not allocate after construction.
template <FramePool Pool>
class DeliveryLedger {
 public:
  /// `notes`: damaged deliveries that can wait with their damage to be done.
  DeliveryLedger(Pool& pool, std::size_t links, std::size_t notes) : pool_(&pool), links_(links), notes_(notes) {}

  PathTotals totals;
  Observer observer;

  [[nodiscard]] LinkCounters& link(LinkId link) { return links_[link.value()]; }
  [[nodiscard]] std::span<const LinkCounters> links() const { return links_.all(); }
  [[nodiscard]] Pool& pool() { return *pool_; }
  [[nodiscard]] std::size_t bytes() const { return notes_.bytes() + links_.bytes(); }

  /// A delivery that no captured frame stands for: a copy of one that is there.
  void add_copy(LinkId link) {
    ++totals.deliveries;
    links_[link.value()].deliveries.add();
  }

  /// A frame of the gateway's own goes out by `port`, null where there is none, on a VLAN or none. It belongs to no
  /// link.
  template <class Port>
  void inject(std::span<const std::byte> bytes, PortId to, Port* port, VlanId vlan) {
    ++totals.injected;
    std::optional<DropReason> lost;
    auto frame = pool_->make(bytes);
    if (frame && vlan != 0 && !put_on_vlan(*pool_, *frame, vlan)) {
      pool_->free(*frame);
      frame.reset();
    }
    if (!frame) {
      lost = DropReason::kNoBuffer;
    } else if (port == nullptr || !port->release(*frame)) {
      lost = reason_not_taken(port);
      pool_->free(*frame);
    } else {
      ++totals.released;
      totals.bytes_released += bytes.size();
    }
    if (lost) {
      ++totals.dropped[static_cast<std::size_t>(*lost)];
    }
    if (observer.on()) {
      observer.injected(bytes, to, lost);
    }
  }
  /// A captured frame becomes this many deliveries, at least one.
  void share(const Frame& frame, std::size_t deliveries) {
    if (deliveries > 1) {
      pool_->share(frame, static_cast<std::uint32_t>(deliveries - 1));
    }
  }

  // ---- drops ----

  /// A frame nobody is known to receive: one delivery, dropped.
  void refuse(const Frame& frame, DropReason reason) {
    ++totals.deliveries;
    ++totals.dropped[static_cast<std::size_t>(reason)];
    if (observer.on()) {
      observer.refused(*pool_, frame, reason);
    }
    pool_->free(frame);
  }
  /// A delivery is dropped; its frame stays with whoever has it.
  void count_drop(const Frame& frame, LinkId link, DropReason reason) {
    if (observer.on()) {
      observer.dropped(*pool_, frame, link, reason);
    }
    ++totals.dropped[static_cast<std::size_t>(reason)];
    links_[link.value()].dropped[static_cast<std::size_t>(reason)].add();
  }
  /// Transmissions of a delivery were lost that its fate does not know of.
  void add_failed_tries(const Delivery auto& delivery, std::uint32_t tries) {
    links_[delivery.link.value()].failed_tries.add(tries);
    if (observer.on()) {
      observer.failed_again(*pool_, delivery.frame(), delivery.link, tries);
    }
  }
  /// A delivery is dropped with its note of damage and its share of the frame.
  void drop(const Delivery auto& delivery, DropReason reason) {
    count_drop(delivery.frame(), delivery.link, reason);
    if (delivery.damage != kNoNode) {
      notes_.give_back(delivery.damage);
    }
    pool_->free(delivery.frame());
  }

  // ---- damage ----

  /// Notes the damage for the release; does it at once when there is no room for notes. False: no memory for that.
  bool note_damage(const DamageNote& note, Delivery auto& delivery) {
    delivery.damage = notes_.take();
    if (delivery.damage == kNoNode) {
      return flip_bits(note, delivery);
    }
    notes_[delivery.damage] = note;
    return true;
  }
  /// What was noted. Requires delivery.damage != kNoNode.
  [[nodiscard]] const DamageNote& note(const Delivery auto& delivery) const { return notes_[delivery.damage]; }
  /// Takes the note off the delivery. Requires delivery.damage != kNoNode.
  DamageNote take_note(Delivery auto& delivery) {
    const NodeIndex node = std::exchange(delivery.damage, kNoNode);
    const DamageNote note = notes_[node];
    notes_.give_back(node);
    return note;
  }
  /// Does what was noted. False: no memory for a private copy; the frame is still there, undamaged. Requires
  /// delivery.damage != kNoNode.
  bool apply_damage(Delivery auto& delivery) { return flip_bits(take_note(delivery), delivery); }

  /// A PTP message goes on at `now`: an event message takes the time since held.due, its arrival, along in its
  /// correction field. False: no memory for a private copy; the frame is as it was.
  bool add_residence(HeldFrame& held, HostTime now) {
    const auto message = find_ptp({held.data, held.head_length});
    if (message && takes_residence(message->type)) {
      if (!make_private(held)) {
        return false;
      }
      const Nanoseconds residence = now - held.due;
      hilgate::add_residence({held.data, held.head_length}, *message, residence);
      totals.ptp_residence.add(residence);
    }
    ++totals.ptp_passed;
    return true;
  }

  /// Addresses the frame to its receiver. False: no memory for that; the delivery is still there.
  bool address(HeldFrame& held, const Addressing& addressing) {
    const std::span<const std::byte> head(held.data, held.head_length);
    if (!addressing.changes(head)) {
      return true;
    }
    if (!make_private(held)) {
      return false;
    }
    if (addressing.replaces_address(head)) {
      addressing.instead_of_group.to_wire(held.data);
    }
    return addressing.vlan == 0 || tag(held, addressing.vlan);
  }

 private:
  // The frame's bytes for this delivery alone: a copy of its own if other receivers share the frame.
  bool make_private(Delivery auto& delivery) {
    if (!pool_->is_shared(delivery.frame())) {
      return true;
    }
    const auto copy = pool_->copy(delivery.frame());
    if (!copy) {
      return false;
    }
    if (observer.on()) {
      Observer::copied(*pool_, delivery.frame(), *copy);
    }
    pool_->free(delivery.frame());
    delivery.buffer = copy->buffer;
    delivery.data = copy->data;
    delivery.head_length = static_cast<std::uint16_t>(copy->head_length);
    return true;
  }

  bool tag(HeldFrame& held, VlanId vlan) {
    Frame frame = held.frame();
    if (!put_on_vlan(*pool_, frame, vlan)) {
      return false;
    }
    held.data = frame.data;
    held.length = frame.length;
    held.head_length = static_cast<std::uint16_t>(frame.head_length);
    return true;
  }

  // Those that fate has chosen.
  bool flip_bits(const DamageNote& note, Delivery auto& delivery) {
    if (!make_private(delivery)) {
      return false;
    }
    FrameBytes bytes;
    pool_->for_each_segment(delivery.frame(), [&bytes](std::span<std::byte> segment) { bytes.append(segment); });
    apply_errors(note, bytes);
    ++totals.damaged;
    links_[delivery.link.value()].damaged.add();
    return true;
  }

  Pool* pool_;
  LinkTally links_;  // by LinkId
  Slab<DamageNote> notes_;
};

}  // namespace hilgate
