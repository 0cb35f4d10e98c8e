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
/// Ids rise by one, so a packet's place is its id modulo the capacity; where an older one still stands, there is no
/// room. Each place has a bit for every robot it was addressed to and one for every robot nobody has decided on yet.
class Parking {
 public:
  struct Place {
    Frame frame{};
    std::uint64_t id = 0;
    RobotId from{};
    std::uint32_t payload = 0;  // offset behind the MAC header
    std::uint32_t waiting = 0;  // receivers without a decision
    bool group = false;
    bool taken = false;
  };
  enum class Claim : std::uint8_t { kFirst, kAgain, kNobody };

  /// `packets` 0: no parking at all.
  Parking(std::size_t packets, std::size_t robots);

  [[nodiscard]] bool on() const { return !places_.empty(); }
  /// Takes over the frame and tells the control thread; a reason and nothing taken when it cannot.
  std::optional<DropReason> park(const Place& place, std::span<const RobotId> receivers);
  /// The next order; false when there is none.
  bool next_order(ParkedOrder& order) { return rings_.orders.pop(order); }
  [[nodiscard]] bool has_order() { return rings_.orders.front() != nullptr; }
  /// Null when that packet is gone or never was.
  [[nodiscard]] Place* find(std::uint64_t packet);
  /// Marks the receiver as decided on. kNobody: the packet was not addressed to it.
  Claim decide(Place& place, RobotId receiver);

  /// Hands every receiver without a decision to each(RobotId) and frees the place; the caller frees the frame.
  template <class Each>
  void clear(Place& place, Each each) {
    for (std::uint32_t robot = 0; place.waiting > 0 && robot < robots_; ++robot) {
      if (decide(place, RobotId{robot}) == Claim::kFirst) {
        each(RobotId{robot});
      }
    }
    place.taken = false;
    --packets_;
  }
  /// Hands out every place that is taken, for shutdown; `each` clears it.
  template <class Each>
  void drain(Each each) {
    for (Place& place : places_) {
      if (place.taken) {
        each(place);
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
  [[nodiscard]] std::uint64_t* addressed(const Place& place);
  [[nodiscard]] std::uint64_t* undecided(const Place& place) { return addressed(place) + words_; }

  std::size_t robots_;
  std::size_t words_;  // of a set of robots
  std::vector<Place> places_;
  std::vector<std::uint64_t> sets_;  // two a place
  VerdictRings rings_;
  std::uint64_t next_id_ = 0;
  std::size_t waiting_ = 0;
  std::size_t packets_ = 0;
};

}  // namespace hilgate
