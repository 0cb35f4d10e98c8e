// SPDX-License-Identifier: Apache-2.0
// Where robots stand in the packet path. A RobotId is a robot's place in one configuration's list; robots come and go
// with configurations, but a robot's links, counters and frames in flight stay where they are: at its place.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gateway/configuration/configuration.h"
#include "gateway/path/path_settings.h"

namespace hilgate {

/// Immutable. A place is never given to another robot, because frames may still be on their way to the first.
class RobotPlaces {
 public:
  /// Robots that can be added to a running gateway over its life.
  static constexpr std::size_t kSpare = 16;

  /// Of a gateway's first configuration: places are RobotIds, and there are kSpare empty ones.
  explicit RobotPlaces(const Configuration& configuration);

  /// Of another configuration with the same ports: robots keep their places, by name and port, and new ones take empty
  /// ones. Throws std::runtime_error when there are not enough.
  [[nodiscard]] RobotPlaces changed(const Configuration& configuration) const;

  [[nodiscard]] LinkId link(RobotId from, RobotId to) const {
    return link_of(RobotId{place_of_[from.value()]}, RobotId{place_of_[to.value()]}, places_.size());
  }

  /// `settings` with its robots, rules and stations, which are by RobotId, moved to their places.
  [[nodiscard]] PathSettings arrange(PathSettings settings) const;

 private:
  struct Place {
    std::string robot;  // empty: nobody has had it
    PortId port;
    std::uint32_t id = TableRobots::kNone;  // in the configuration
  };
  RobotPlaces() = default;

  std::vector<Place> places_;
  std::vector<std::uint32_t> place_of_;  // by RobotId
};

}  // namespace hilgate
