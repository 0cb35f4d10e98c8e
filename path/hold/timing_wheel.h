// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "clock/time.h"
#include "frame/slab.h"
#include "path/hold/frame_blocks.h"

namespace hilgate {

/// One level of a timing wheel: 65536 slots in a ring, each the head of a list, and which of them are not empty as a
/// bitmap of three tiers, so that the next one is found by three find-first-set (Eiffel, NSDI 2019, section 4).
class WheelLevel {
 public:
  static constexpr unsigned kBits = 16;
  static constexpr std::uint32_t kSlots = 1U << kBits;

  // Heads of empty slots are never read, and so their memory is not touched before it is used.
  WheelLevel() : heads_(new NodeIndex[kSlots]) {}

  [[nodiscard]] NodeIndex head(std::uint32_t slot) const { return holds(slot) ? heads_[slot] : kNoNode; }
  void set_head(std::uint32_t slot, NodeIndex node) {
    heads_[slot] = node;
    slots_[slot / 64] |= bit(slot);
    words_[slot / 4096] |= bit(slot / 64);
    top_ |= bit(slot / 4096);
  }
  /// Empties the slot and returns what was its list.
  NodeIndex take(std::uint32_t slot) {
    if ((slots_[slot / 64] &= ~bit(slot)) == 0 && (words_[slot / 4096] &= ~bit(slot / 64)) == 0) {
      top_ &= ~bit(slot / 4096);
    }
    return heads_[slot];
  }
  [[nodiscard]] bool empty() const { return top_ == 0; }

  /// How many slots on from `slot`, around the ring, the first is that is not empty; requires !empty().
  [[nodiscard]] std::uint32_t distance(std::uint32_t slot) const {
    const auto ahead = first_from(slot);
    return (ahead ? *ahead - slot : *first_from(0) + kSlots - slot) % kSlots;
  }

  static constexpr std::size_t bytes() { return sizeof(WheelLevel) + kSlots * sizeof(NodeIndex); }

 private:
  static constexpr std::uint64_t bit(std::uint32_t index) { return std::uint64_t{1} << index % 64; }
  [[nodiscard]] bool holds(std::uint32_t slot) const { return (slots_[slot / 64] & bit(slot)) != 0; }

  // Bits of `word` after bit `index`.
  static constexpr std::uint64_t behind(std::uint64_t word, std::uint32_t index) {
    return word & ~(bit(index) | (bit(index) - 1));
  }
  static constexpr std::uint32_t first(std::uint64_t word) {
    return static_cast<std::uint32_t>(std::countr_zero(word));
  }

  [[nodiscard]] std::optional<std::uint32_t> first_from(std::uint32_t slot) const {
    std::uint32_t word = slot / 64;
    if (const std::uint64_t found = slots_[word] & ~(bit(slot) - 1)) {
      return word * 64 + first(found);
    }
    std::uint32_t group = word / 64;
    if (const std::uint64_t found = behind(words_[group], word)) {
      word = group * 64 + first(found);
    } else if (const std::uint64_t groups = behind(top_, group)) {
      group = first(groups);
      word = group * 64 + first(words_[group]);
    } else {
      return std::nullopt;
    }
    return word * 64 + first(slots_[word]);
  }

  std::unique_ptr<NodeIndex[]> heads_;
  std::array<std::uint64_t, kSlots / 64> slots_{};
  std::array<std::uint64_t, kSlots / 4096> words_{};
  std::uint64_t top_ = 0;
};

}  // namespace hilgate

// A timing wheel for deliveries whose due times are in no order: those of links that may reorder.
//
// Two rings of 65536 slots: 1.024 us each, 67 ms in all; and 4.2 ms each, 275 s in all. What is due later waits in the
// last slot and is looked at again when that comes. Coarse slots that the fine ring reaches are moved to it a few
// frames at a time, long before they are due, so that no iteration has to move many. A fine slot is sorted by (due,
// order) when its time has come: what leaves, and in which order, does not depend on slots. The cost of a frame does
// not depend on how many are held, but for the cache.

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
  using Slot = std::int64_t;  // since the clock's zero, 1.024 us each

  static constexpr unsigned kSlotBits = 10;
  static constexpr Slot kNever = Slot{1} << 60;  // later than the slot of any instant
  static constexpr unsigned kCoarseBits = 12;
  static constexpr Slot kCoarse = Slot{1} << kCoarseBits;  // fine slots of a coarse one
  static constexpr std::size_t kMoves = 4;  // from coarse to fine at a call, in addition to two for each push
  static constexpr std::size_t kMostMoves = 256;
  static constexpr Slot slot_of(HostTime due) { return due.time_since_epoch().count() >> kSlotBits; }
  static constexpr HostTime start_of(Slot slot) {
    return slot > slot_of(HostTime::max()) ? HostTime::max() : HostTime{Nanoseconds{slot << kSlotBits}};
  }
  static constexpr std::uint32_t ring(Slot slot) { return static_cast<std::uint32_t>(slot) % WheelLevel::kSlots; }

  [[nodiscard]] bool before(NodeIndex a, NodeIndex b) const {
    const HeldFrame& x = frames_[a];
    const HeldFrame& y = frames_[b];
    return x.due != y.due ? x.due < y.due : x.order < y.order;
  }
  const HeldFrame* settle(HostTime now);
  void move_near();
  void move_one(std::uint32_t coarse_slot);
  bool load_next(HostTime now);
  void insert(NodeIndex node);
  void put(WheelLevel& level, std::uint32_t slot, NodeIndex node);
  [[nodiscard]] Slot next_fine() const;
  [[nodiscard]] Slot next_coarse() const;
  // Where the cursor must be for the fine ring to reach the end of a coarse slot, given by its first fine one.
  static constexpr Slot move_time(Slot coarse) { return coarse + kCoarse - WheelLevel::kSlots; }
  [[nodiscard]] HostTime earliest(NodeIndex list) const;
  NodeIndex sort(NodeIndex list);
  NodeIndex merge(NodeIndex a, NodeIndex b);

  LooseFrames frames_;
  WheelLevel fine_;
  WheelLevel coarse_;
  std::size_t size_ = 0;
  Slot next_move_ = kNever;          // move_time() of the first coarse slot that is not empty
  Slot cursor_ = 0;                  // slots before it are in front_ and late_
  NodeIndex front_ = kNoNode;        // sorted
  NodeIndex late_ = kNoNode;         // pushed when their slot had been sorted already; in no order
  HostTime wake_ = HostTime::max();  // nothing is due, and nothing to be moved, before
  std::size_t pushed_ = 0;           // since frames were moved last
};

}  // namespace hilgate
