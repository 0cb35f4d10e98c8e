// SPDX-License-Identifier: Apache-2.0
// Which slot of the packet path each robot has. Robots come and go with configurations, but a robot's links, counters
// and frames in flight stay in its slot.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gateway/configuration/configuration.h"
#include "gateway/run/planes/port_slots.h"
#include "path/fate/table_robots.h"
#include "path/settings/path_settings.h"

namespace hilgate {

/// Immutable. A slot that was left is kept for its robot, and given to another one only where no other is left and none
/// of its frames is on its way.
class RobotSlots {
 public:
  /// Robots that a running gateway takes beyond those of its start.
  static constexpr std::size_t kSpare = 16;
  /// Whether no delivery of a link is on its way.
  using Idle = std::function<bool(LinkSlot)>;

  /// Of a gateway's first configuration: slots are in the order of its robots, and there are kSpare empty ones.
  explicit RobotSlots(const Configuration& configuration);

  /// Of another configuration: robots keep their slots, by name and port, and new ones take empty ones. Throws
  /// std::runtime_error when there are not enough, or as PortSlots::changed().
  [[nodiscard]] RobotSlots changed(const Configuration& configuration, const Idle& idle) const;

  /// Robots and slots by number.
  [[nodiscard]] const TableRobots& table() const { return table_; }
  [[nodiscard]] LinkSlot link(RobotIndex from, RobotIndex to) const { return table_.slots_of(from, to); }
  [[nodiscard]] const PortSlots& ports() const { return ports_; }

  /// `settings` with its robots, rules and stations, which are by RobotIndex, moved to their slots.
  [[nodiscard]] PathSettings arrange(PathSettings settings) const;

 private:
  struct Slot {
    std::string robot{};  // empty: never used
    PortSlot port{};
    OptionalIndex<RobotIndex> index{};  // in the configuration
    bool at_rest = false;               // left, and nothing is on its way
  };
  [[nodiscard]] TableRobots by_number() const;
  [[nodiscard]] bool is_at_rest(std::uint32_t slot, const Idle& idle) const;
  [[nodiscard]] bool is_awaited(PortSlot port, const Idle& idle) const;
  [[nodiscard]] Slot* free_slot(const RobotSlots& before, bool several_cores);

  PortSlots ports_;
  std::vector<Slot> slots_;
  std::vector<RobotSlot> passed_on_;  // slots that another robot had before this configuration
  TableRobots table_;
};

}  // namespace hilgate
