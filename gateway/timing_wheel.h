// SPDX-License-Identifier: Apache-2.0
// A timing wheel for deliveries whose due times are in no order: those of links that may reorder.
//
// Two levels of 65536 slots: 1.024 us each, 67 ms in all; and 67 ms each, 73 minutes in all. What is due later waits
// in the last slot and is looked at again when that comes. A slot is sorted by (due, order) when its time has come, so
// that what leaves, and in which order, does not depend on slots. A push costs the same however many are held; a pop
// costs its share of the sorting of one slot, and of one move between levels for what was due in more than 67 ms.
#pragma once

#include <cstddef>
#include <cstdint>

#include "clock/time.h"
#include "gateway/frame_blocks.h"
#include "gateway/wheel_level.h"

namespace hilgate {

/// Used by one thread. Does not allocate after construction.
class TimingWheel {
 public:
  /// `blocks`, the memory of what is held, must outlive it.
  explicit TimingWheel(Slab<FrameBlock>& blocks) : frames_(blocks) {}

  /// `held` with its order and link. False when there is no block for it.
  bool push(const HeldFrame& held);

  /// What is due first, if it is due at `now`; valid until the next call.
  const HeldFrame* first_due(HostTime now) { return now < wake_ ? nullptr : settle(now); }
  /// Removes what first_due() has returned.
  void pop_first();

  [[nodiscard]] bool empty() const { return size_ == 0; }
  /// When the first is due; requires !empty(). Reads the whole first slot.
  [[nodiscard]] HostTime next_due() const;
  static constexpr std::size_t bytes() { return 2 * WheelLevel::bytes(); }

 private:
  using Slot = std::int64_t;  // since the clock's zero, 1.024 us each; the coarse level counts kSlots of them

  static constexpr unsigned kSlotBits = 10;
  static constexpr Slot slot_of(HostTime due) { return due.time_since_epoch().count() >> kSlotBits; }
  static constexpr HostTime start_of(Slot slot) { return HostTime{Nanoseconds{slot << kSlotBits}}; }
  static constexpr std::uint32_t ring(Slot slot) { return static_cast<std::uint32_t>(slot) % WheelLevel::kSlots; }

  [[nodiscard]] bool before(NodeIndex a, NodeIndex b) const {
    const HeldFrame& x = frames_[a];
    const HeldFrame& y = frames_[b];
    return x.due != y.due ? x.due < y.due : x.order < y.order;
  }
  const HeldFrame* settle(HostTime now);
  bool load_next(HostTime now);
  void place(NodeIndex node);
  void put_in_front(NodeIndex& list, NodeIndex node);
  [[nodiscard]] Slot next_fine() const;
  [[nodiscard]] Slot next_coarse() const;
  [[nodiscard]] HostTime earliest(NodeIndex list) const;
  NodeIndex sort(NodeIndex list);
  NodeIndex merge(NodeIndex a, NodeIndex b);

  LooseFrames frames_;
  WheelLevel fine_;
  WheelLevel coarse_;
  std::size_t size_ = 0;
  Slot cursor_ = 0;                  // slots before it are in front_ and late_
  NodeIndex front_ = kNoNode;        // sorted
  NodeIndex late_ = kNoNode;         // pushed when their slot had been sorted already; in no order
  HostTime wake_ = HostTime::max();  // nothing is due before
};

}  // namespace hilgate
