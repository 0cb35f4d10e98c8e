// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "frame/slab.h"

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

  // Bits of `word` behind bit `index`.
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
