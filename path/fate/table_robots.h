// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "frame/id.h"
#include "netsim_link/link_state.h"

namespace hilgate {

/// Which robot of the newest configuration, and so of its link tables, has which slot of the path. Only here is one
/// made of the other. A robot keeps its slot over changes of the configuration.
class TableRobots {
 public:
  TableRobots() = default;
  /// Each of `robots` has the slot of its index.
  explicit TableRobots(std::size_t robots) : slots_(robots), robots_(robots) {}
  /// By slot: the robot that has it. All robots from 0 have one.
  explicit TableRobots(std::vector<OptionalIndex<RobotIndex>> by_slot)
      : slots_(by_slot.size()), by_slot_(std::move(by_slot)) {
    for (const auto robot : by_slot_) {
      robots_ += robot ? 1 : 0;
    }
    slot_of_.resize(robots_);
    for (std::uint32_t slot = 0; slot < slots_; ++slot) {
      if (by_slot_[slot]) {
        slot_of_.at(by_slot_[slot].value().value()) = RobotSlot{slot};
      }
    }
  }

  [[nodiscard]] std::size_t slots() const { return slots_; }
  [[nodiscard]] std::size_t robots() const { return robots_; }
  [[nodiscard]] bool has(RobotIndex robot) const { return robot.value() < robots_; }

  /// Empty: no robot has that slot.
  [[nodiscard]] OptionalIndex<RobotIndex> index_of(RobotSlot slot) const {
    return by_slot_.empty() ? RobotIndex{slot.value()} : by_slot_[slot.value()];
  }
  [[nodiscard]] RobotSlot slot_of(RobotIndex robot) const {
    assert(has(robot));
    return slot_of_.empty() ? RobotSlot{robot.value()} : slot_of_[robot.value()];
  }
  /// Empty: an end has no robot.
  [[nodiscard]] OptionalIndex<LinkIndex> index_of(LinkSlot link) const {
    if (by_slot_.empty()) {
      return LinkIndex{link.value()};
    }
    const auto from = by_slot_[link.value() / slots_];
    const auto to = by_slot_[link.value() % slots_];
    return from && to ? link_of(from.value(), to.value(), robots_) : OptionalIndex<LinkIndex>{};
  }
  [[nodiscard]] LinkSlot slots_of(RobotIndex from, RobotIndex to) const {
    return link_of(slot_of(from), slot_of(to), slots_);
  }
  /// As index_of(), for bulk readers; empty: slots and indices are the same.
  [[nodiscard]] std::span<const OptionalIndex<RobotIndex>> by_slot() const { return by_slot_; }

 private:
  std::size_t slots_ = 0;
  std::size_t robots_ = 0;
  std::vector<OptionalIndex<RobotIndex>> by_slot_;
  std::vector<RobotSlot> slot_of_;  // by RobotIndex
};

}  // namespace hilgate
