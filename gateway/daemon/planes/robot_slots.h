// SPDX-License-Identifier: Apache-2.0
// Which slot of the packet path each robot has. Robots come and go with configurations, but a robot's links, counters
// and frames in flight stay in its slot.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gateway/configuration/configuration.h"
#include "gateway/fate/table_robots.h"
#include "gateway/path/path_settings.h"

namespace hilgate {

/// Immutable. A slot is never given to another robot, because frames may still be on their way to the first.
class RobotSlots {
 public:
  /// Robots that can be added to a running gateway over its life.
  static constexpr std::size_t kSpare = 16;

  /// Of a gateway's first configuration: slots are in the order of its robots, and there are kSpare empty ones.
  explicit RobotSlots(const Configuration& configuration);

  /// Of another configuration with the same ports: robots keep their slots, by name and port, and new ones take empty
  /// ones. Throws std::runtime_error when there are not enough.
  [[nodiscard]] RobotSlots changed(const Configuration& configuration) const;

  /// Robots and slots by number.
  [[nodiscard]] const TableRobots& table() const { return table_; }
  [[nodiscard]] LinkId link(RobotIndex from, RobotIndex to) const { return table_.slots_of(from, to); }

  /// `settings` with its robots, rules and stations, which are by RobotIndex, moved to their slots.
  [[nodiscard]] PathSettings arrange(PathSettings settings) const;

 private:
  struct Slot {
    std::string robot;  // empty: never used
    PortId port;
    OptionalIndex<RobotIndex> index{};  // in the configuration
  };
  [[nodiscard]] TableRobots by_number() const;

  std::vector<Slot> slots_;
  TableRobots table_;
};

}  // namespace hilgate
