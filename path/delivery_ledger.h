// SPDX-License-Identifier: Apache-2.0
// The account of all deliveries: how many there are and what became of each, the damage noted for those that wait, and
// their memory.
#pragma once

#include <algorithm>
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
#include "frame/headers.h"
#include "frame/slab.h"
#include "path/addresses/directory.h"
#include "path/fate/damage.h"
#include "path/hold/held_frame.h"
#include "path/iteration_meter.h"
#include "path/link_tally.h"
#include "path/observer/observer.h"
#include "path/ports/port_abilities.h"

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

  Observer observer;

  [[nodiscard]] const PathTotals& totals() const { return totals_; }

  [[nodiscard]] LinkCounters& link(LinkSlot link) { return links_[link.value()]; }
  [[nodiscard]] std::span<const LinkCounters> links() const { return links_.all(); }
  [[nodiscard]] Pool& pool() { return *pool_; }
  [[nodiscard]] std::size_t bytes() const { return notes_.bytes() + links_.bytes(); }

  // ---- deliveries that begin, cross and leave ----

  /// Frames were captured at a port.
  void capture(std::span<const Frame> frames) {
    totals_.frames_captured += frames.size();
    for (const Frame& frame : frames) {
      totals_.bytes_captured += frame.length;
    }
  }
  /// A run of `frames` captured frames becomes one delivery each to every receiver, by these links.
  template <class LinkTo>
  void begin(std::size_t frames, std::span<const RobotSlot> receivers, LinkTo link_to) {
    totals_.deliveries += frames * receivers.size();
    for (const RobotSlot to : receivers) {
      links_[link_to(to).value()].deliveries.add(frames);
    }
  }
  /// The link duplicates a delivery: one more of the same frame.
  void begin_duplicate(LinkSlot link) {
    begin_copy(link);
    ++totals_.duplicated;
    links_[link.value()].duplicated.add();
  }
  /// A network simulator has a frame delivered to a receiver once more.
  void begin_ordered_copy(LinkSlot link) {
    begin_copy(link);
    ++totals_.copies;
  }
  void refuse_ordered_copy() { ++totals_.copies_refused; }
  void cross_in(std::size_t deliveries) { totals_.crossed_in += deliveries; }
  void cross_out(std::size_t deliveries) { totals_.crossed_out += deliveries; }
  /// Deliveries of a link have left by its receiver's port.
  void release(LinkSlot link, std::uint64_t deliveries, std::uint64_t bytes) {
    totals_.released += deliveries;
    totals_.bytes_released += bytes;
    links_[link.value()].released.add(deliveries);
    links_[link.value()].bytes_released.add(bytes);
  }
  /// How many wait, in all queues of the path together.
  void set_held(std::uint64_t deliveries) {
    totals_.held = deliveries;
    totals_.held_most = std::max(totals_.held_most, totals_.held);
  }

  // ---- how they fared ----

  /// So many deliveries of a link are released so long after their arrival.
  void add_delay(LinkSlot link, std::uint64_t deliveries, Nanoseconds delay) {
    LinkCounters& counters = links_[link.value()];
    counters.timed.add(deliveries);
    counters.delay_ns.add(deliveries * static_cast<std::uint64_t>(delay.count()));
  }

  void mark(LinkSlot link) {
    ++totals_.marked;
    links_[link.value()].marked.add();
  }
  /// The frame of a delivery is marked Congestion Experienced. False: no memory for a private copy; the frame is as it
  /// was. Requires a frame that is capable of ECN.
  bool mark_congestion(PendingDelivery& delivery) {
    if (!make_private(delivery)) {
      return false;
    }
    set_congestion({delivery.data, delivery.head_length});
    ++totals_.ecn_marked;
    links_[delivery.link.value()].ecn_marked.add();
    return true;
  }
  void note_release_error(Nanoseconds error, std::uint64_t deliveries) { totals_.release_error.add(error, deliveries); }
  void note_late_order(Nanoseconds late) { totals_.asked_late.add(late); }
  void note_window() { ++totals_.windows; }
  void note_change() { ++totals_.changes; }
  void note_iteration(HostTime now, IterationMeter& meter) { meter.note(now, totals_); }

  /// A frame of the gateway's own goes out by `port`, null if absent, on a VLAN or untagged. It belongs to no link.
  template <class Port>
  void inject(std::span<const std::byte> bytes, PortSlot to, Port* port, VlanId vlan) {
    ++totals_.injected;
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
      ++totals_.released;
      totals_.bytes_released += bytes.size();
    }
    if (lost) {
      ++totals_.dropped[static_cast<std::size_t>(*lost)];
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

  /// A frame without a known receiver: one delivery, dropped.
  void refuse(const Frame& frame, DropReason reason) {
    ++totals_.deliveries;
    ++totals_.dropped[static_cast<std::size_t>(reason)];
    if (observer.on()) {
      observer.refused(*pool_, frame, reason);
    }
    pool_->free(frame);
  }
  /// A delivery is dropped; its frame stays with its owner.
  void count_drop(const Frame& frame, LinkSlot link, DropReason reason) {
    if (observer.on()) {
      observer.dropped(*pool_, frame, link, reason);
    }
    ++totals_.dropped[static_cast<std::size_t>(reason)];
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

  /// A PTP message is forwarded at `now`: an event message takes the time since held.due, its arrival, along in its
  /// correction field. False: no memory for a private copy; the frame is as it was.
  bool add_residence(HeldFrame& held, HostTime now) {
    const auto message = find_ptp({held.data, held.head_length});
    if (message && takes_residence(message->type)) {
      if (!make_private(held)) {
        return false;
      }
      const Nanoseconds residence = now - held.due;
      hilgate::add_residence({held.data, held.head_length}, *message, residence);
      totals_.ptp_residence.add(residence);
    }
    ++totals_.ptp_passed;
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
  // A delivery that no captured frame stands for.
  void begin_copy(LinkSlot link) {
    ++totals_.deliveries;
    links_[link.value()].deliveries.add();
  }

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
    ++totals_.damaged;
    links_[delivery.link.value()].damaged.add();
    return true;
  }

  Pool* pool_;
  PathTotals totals_;
  LinkTally links_;  // by LinkSlot
  Slab<DamageNote> notes_;
};

}  // namespace hilgate
