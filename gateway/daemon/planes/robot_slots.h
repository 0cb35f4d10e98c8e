// SPDX-License-Identifier: Apache-2.0
// Which slot of the packet path each robot has. A RobotId is an index into the robots of one configuration; robots come
// and go with configurations, but a robot's links, counters and frames in flight stay in its slot.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gateway/configuration/configuration.h"
#include "gateway/path/path_settings.h"

namespace hilgate {

/// Immutable. A slot is never given to another robot, because frames may still be on their way to the first.
class RobotSlots {
 public:
  /// Robots that can be added to a running gateway over its life.
  static constexpr std::size_t kSpare = 16;

  /// Of a gateway's first configuration: slots are RobotIds, and there are kSpare empty ones.
  explicit RobotSlots(const Configuration& configuration);

  /// Of another configuration with the same ports: robots keep their slots, by name and port, and new ones take empty
  /// ones. Throws std::runtime_error when there are not enough.
  [[nodiscard]] RobotSlots changed(const Configuration& configuration) const;

  [[nodiscard]] LinkId link(RobotId from, RobotId to) const {
    return link_of(RobotId{slot_of_[from.value()]}, RobotId{slot_of_[to.value()]}, slots_.size());
  }

  /// `settings` with its robots, rules and stations, which are by RobotId, moved to their slots.
  [[nodiscard]] PathSettings arrange(PathSettings settings) const;

 private:
  struct Slot {
    std::string robot;  // empty: never used
    PortId port;
    std::uint32_t id = TableRobots::kNone;  // in the configuration
  };
  RobotSlots() = default;

  std::vector<Slot> slots_;
  std::vector<std::uint32_t> slot_of_;  // by RobotId
};

}  // namespace hilgate
