// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "frame/frame.h"
#include "frame/slab.h"
#include "path/verdicts/verdict_rings.h"

namespace hilgate {

/// Frames that wait until a network simulator has decided about them, by packet id. The parking holds one ownership of
/// each frame, until all its receivers are decided. Used by the packet loop; does not allocate after construction.
///
/// Ids rise. A packet's entry is found by its id modulo four times the capacity; while one older by as much still
/// waits, an id is left out and its packet refused. A sender may have at most four times as many packets parked as
/// there is room left: one alone four fifths, and however many fill theirs, some is left for every other (A. K.
/// Choudhury, E. L. Hahne, 1998). Each entry has a bit for every robot it was addressed to and one for every robot
/// not decided on yet.
class Parking {
 public:
  struct Entry {
    Frame frame{};
    std::uint64_t id = 0;
    RobotSlot from{};
    std::uint32_t payload = 0;  // offset behind the MAC header
    std::uint32_t waiting = 0;  // receivers without a decision
    bool group = false;
    NodeIndex next = kNoNode;  // of the free ones
  };
  enum class Claim : std::uint8_t { kFirst, kAgain, kNobody };

  /// Copies of one packet for one receiver that further verdicts may make. A frame's owners are counted in 16 bits.
  static constexpr unsigned kMostCopies = 3;

  /// `packets` 0: no parking.
  Parking(std::size_t packets, std::size_t robots);

  [[nodiscard]] bool on() const { return entries_.capacity() > 0; }
  /// Takes over the frame and notifies the control thread; a reason and nothing taken when it cannot.
  std::optional<DropReason> park(const Entry& entry, std::span<const RobotSlot> receivers);
  /// The next order; false without one.
  bool next_order(ParkedOrder& order) { return rings_.orders.pop(order); }
  [[nodiscard]] bool has_order() { return rings_.orders.front() != nullptr; }
  /// Null when that packet is gone or never was.
  [[nodiscard]] Entry* find(std::uint64_t packet);
  /// Marks the receiver as decided on. kNobody: the packet was not addressed to it.
  Claim decide(Entry& entry, RobotSlot receiver);
  /// Whether the receiver, decided on before, may have one copy more; counts it.
  bool claim_copy(Entry& entry, RobotSlot receiver);

  /// Hands every receiver without a decision to each(RobotSlot) and frees the entry; the caller frees the frame.
  template <class Each>
  void clear(Entry& entry, Each each) {
    for (std::uint32_t robot = 0; entry.waiting > 0 && robot < robots_; ++robot) {
      if (decide(entry, RobotSlot{robot}) == Claim::kFirst) {
        each(RobotSlot{robot});
      }
    }
    --by_sender_[entry.from.value()];
    entries_.give_back(std::exchange(slot_of(entry.id), kNoNode));
  }
  /// Hands out every entry, for shutdown; `each` clears it.
  template <class Each>
  void drain(Each each) {
    for (const NodeIndex& slot : slots_) {
      if (slot != kNoNode) {
        each(entries_[slot]);
      }
    }
  }

  /// Deliveries without a decision.
  [[nodiscard]] std::size_t waiting() const { return waiting_; }
  /// Frames kept.
  [[nodiscard]] std::size_t packets() const { return entries_.used(); }
  [[nodiscard]] VerdictRings& rings() { return rings_; }
  [[nodiscard]] std::size_t bytes() const;

 private:
  [[nodiscard]] NodeIndex& slot_of(std::uint64_t id) { return slots_[id & (slots_.size() - 1)]; }
  [[nodiscard]] bool within_share(RobotSlot sender) const {
    return by_sender_[sender.value()] < 4 * (entries_.capacity() - entries_.used());
  }
  [[nodiscard]] std::uint64_t* addressed(const Entry& entry) {
    return sets_.data() + slot_of(entry.id) * words_ * kSets;
  }
  [[nodiscard]] std::uint64_t* undecided(const Entry& entry) { return addressed(entry) + words_; }
  // Of the count of copies the low and the high bit.
  [[nodiscard]] std::uint64_t* copies(const Entry& entry) { return addressed(entry) + 2 * words_; }
  static constexpr std::size_t kSets = 4;

  std::size_t robots_;
  std::size_t words_;  // of a set of robots
  Slab<Entry> entries_;
  std::vector<NodeIndex> slots_;     // by id modulo their number, a power of two
  std::vector<std::uint64_t> sets_;  // kSets for each entry
  std::vector<std::size_t> by_sender_;
  VerdictRings rings_;
  std::uint64_t next_id_ = 0;
  std::size_t waiting_ = 0;
};

}  // namespace hilgate
