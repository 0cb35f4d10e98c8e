// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "frame/frame.h"
#include "gateway/path/verdict_rings.h"

namespace hilgate {

/// Frames that wait until a network simulator has decided about them, by packet id. The parking holds one ownership of
/// each frame, until nobody asks for it any more. Used by the hot loop; does not allocate after construction.
///
/// Ids rise by one, so a packet's entry is the one at its id modulo the capacity; where an older one still stands,
/// there is no room. Each entry has a bit for every robot it was addressed to and one for every robot nobody has
/// decided on yet.
class Parking {
 public:
  struct Entry {
    Frame frame{};
    std::uint64_t id = 0;
    RobotId from{};
    std::uint32_t payload = 0;  // offset behind the MAC header
    std::uint32_t waiting = 0;  // receivers without a decision
    bool group = false;
    bool taken = false;
  };
  enum class Claim : std::uint8_t { kFirst, kAgain, kNobody };

  /// Copies of one packet for one receiver that further verdicts may make. A frame's owners are counted in 16 bits.
  static constexpr unsigned kMostCopies = 3;

  /// `packets` 0: no parking at all.
  Parking(std::size_t packets, std::size_t robots);

  [[nodiscard]] bool on() const { return !entries_.empty(); }
  /// Takes over the frame and tells the control thread; a reason and nothing taken when it cannot.
  std::optional<DropReason> park(const Entry& entry, std::span<const RobotId> receivers);
  /// The next order; false when there is none.
  bool next_order(ParkedOrder& order) { return rings_.orders.pop(order); }
  [[nodiscard]] bool has_order() { return rings_.orders.front() != nullptr; }
  /// Null when that packet is gone or never was.
  [[nodiscard]] Entry* find(std::uint64_t packet);
  /// Marks the receiver as decided on. kNobody: the packet was not addressed to it.
  Claim decide(Entry& entry, RobotId receiver);
  /// Whether the receiver, decided on before, may have one copy more; counts it.
  bool claim_copy(Entry& entry, RobotId receiver);

  /// Hands every receiver without a decision to each(RobotId) and frees the entry; the caller frees the frame.
  template <class Each>
  void clear(Entry& entry, Each each) {
    for (std::uint32_t robot = 0; entry.waiting > 0 && robot < robots_; ++robot) {
      if (decide(entry, RobotId{robot}) == Claim::kFirst) {
        each(RobotId{robot});
      }
    }
    entry.taken = false;
    --packets_;
  }
  /// Hands out every entry that is taken, for shutdown; `each` clears it.
  template <class Each>
  void drain(Each each) {
    for (Entry& entry : entries_) {
      if (entry.taken) {
        each(entry);
      }
    }
  }

  /// Deliveries without a decision.
  [[nodiscard]] std::size_t waiting() const { return waiting_; }
  /// Frames kept.
  [[nodiscard]] std::size_t packets() const { return packets_; }
  [[nodiscard]] VerdictRings& rings() { return rings_; }
  [[nodiscard]] std::size_t bytes() const;

 private:
  [[nodiscard]] std::uint64_t* addressed(const Entry& entry);
  [[nodiscard]] std::uint64_t* undecided(const Entry& entry) { return addressed(entry) + words_; }
  // Of the count of copies the low and the high bit.
  [[nodiscard]] std::uint64_t* copies(const Entry& entry) { return addressed(entry) + 2 * words_; }
  static constexpr std::size_t kSets = 4;

  std::size_t robots_;
  std::size_t words_;  // of a set of robots
  std::vector<Entry> entries_;
  std::vector<std::uint64_t> sets_;  // kSets for each entry
  VerdictRings rings_;
  std::uint64_t next_id_ = 0;
  std::size_t waiting_ = 0;
  std::size_t packets_ = 0;
};

}  // namespace hilgate
