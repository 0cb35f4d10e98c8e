// SPDX-License-Identifier: Apache-2.0
// The books on deliveries: what became of each, the damage noted for those that wait, and their memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "clock/ptp/ptp_passage.h"
#include "frame/counters.h"
#include "frame/frame_bytes.h"
#include "frame/slab.h"
#include "gateway/fate/damage.h"
#include "gateway/hold/held_frame.h"

namespace hilgate {

/// Used by one thread; counters by link are readable from any. Does not allocate after construction.
template <FramePool Pool>
class Deliveries {
 public:
  Deliveries(Pool& pool, std::size_t links, std::size_t notes) : pool_(&pool), links_(links), notes_(notes) {}

  PathTotals totals;

  [[nodiscard]] LinkCounters& link(LinkId link) { return links_[link.value()]; }
  [[nodiscard]] const std::vector<LinkCounters>& links() const { return links_; }
  [[nodiscard]] Pool& pool() { return *pool_; }
  [[nodiscard]] std::size_t bytes() const { return notes_.bytes() + links_.size() * sizeof(LinkCounters); }

  /// A delivery that no captured frame stands for: a copy of one that is there.
  void add_copy(LinkId link) {
    ++totals.deliveries;
    links_[link.value()].deliveries.add();
  }

  /// A frame of the gateway's own goes out by `port`, null where there is none. It belongs to no link.
  template <class Port>
  void inject(std::span<const std::byte> bytes, Port* port) {
    ++totals.injected;
    const auto frame = pool_->make(bytes);
    if (!frame) {
      ++totals.dropped[static_cast<std::size_t>(DropReason::kNoBuffer)];
    } else if (port == nullptr || !port->release(*frame)) {
      ++totals.dropped[static_cast<std::size_t>(DropReason::kTxFull)];
      pool_->free(*frame);
    } else {
      ++totals.released;
      totals.bytes_released += bytes.size();
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
    pool_->free(frame);
  }
  /// A delivery is dropped; its frame stays with whoever has it.
  void count_drop(LinkId link, DropReason reason) {
    ++totals.dropped[static_cast<std::size_t>(reason)];
    links_[link.value()].dropped[static_cast<std::size_t>(reason)].add();
  }
  void drop(const HeldFrame& held, LinkId link, DropReason reason) {
    count_drop(link, reason);
    if (held.damage != kNoNode) {
      notes_.give_back(held.damage);
    }
    pool_->free(held.frame());
  }

  // ---- damage ----

  /// Remembers the damage until release; when there are many damaged frames, does it at once. False: no memory for
  /// that.
  bool note_damage(const DamageNote& note, LinkId link, HeldFrame& held) {
    held.damage = notes_.take();
    if (held.damage == kNoNode) {
      return damage(note, link, held);
    }
    notes_[held.damage] = note;
    return true;
  }
  /// What was noted. Requires held.damage != kNoNode.
  [[nodiscard]] const DamageNote& note(const HeldFrame& held) const { return notes_[held.damage]; }
  /// Takes the note off the frame. Requires held.damage != kNoNode.
  DamageNote take_note(HeldFrame& held) {
    const NodeIndex node = std::exchange(held.damage, kNoNode);
    const DamageNote note = notes_[node];
    notes_.give_back(node);
    return note;
  }
  /// Does what was noted. False: no memory for a private copy; the frame is still there, undamaged.
  bool carry_out(HeldFrame& held, LinkId link) { return damage(take_note(held), link, held); }

  /// A PTP message goes on at `now`: an event message takes the time since held.due, its arrival, along in its
  /// correction field. False: no memory for a private copy; the frame is as it was.
  bool add_residence(HeldFrame& held, HostTime now) {
    const auto place = find_ptp({held.data, held.head_length});
    if (place && takes_residence(place->type)) {
      if (!make_private(held)) {
        return false;
      }
      const Nanoseconds residence = now - held.due;
      hilgate::add_residence({held.data, held.head_length}, *place, residence);
      totals.ptp_residence.add(residence);
    }
    ++totals.ptp_passed;
    return true;
  }

 private:
  // The frame's bytes for this delivery alone: a copy of its own if other receivers share the frame.
  bool make_private(HeldFrame& held) {
    if (!pool_->is_shared(held.frame())) {
      return true;
    }
    const auto copy = pool_->copy(held.frame());
    if (!copy) {
      return false;
    }
    pool_->free(held.frame());
    held.buffer = copy->buffer;
    held.data = copy->data;
    held.head_length = static_cast<std::uint16_t>(copy->head_length);
    return true;
  }

  // Flips the bits that fate has chosen.
  bool damage(const DamageNote& note, LinkId link, HeldFrame& held) {
    if (!make_private(held)) {
      return false;
    }
    FrameBytes bytes;
    pool_->for_each_segment(held.frame(), [&bytes](std::span<std::byte> segment) { bytes.append(segment); });
    apply_errors(note, bytes);
    ++totals.damaged;
    links_[link.value()].damaged.add();
    return true;
  }

  Pool* pool_;
  std::vector<LinkCounters> links_;  // by LinkId
  Slab<DamageNote> notes_;
};

}  // namespace hilgate
