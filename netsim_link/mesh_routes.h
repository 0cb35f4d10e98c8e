// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "clock/time.h"
#include "frame/id.h"

namespace hilgate {

/// Next hops of mesh media. Does not change once it is in a link table.
struct MeshRoutes {
  std::size_t ends = 0;                           // numbers in the table
  std::vector<OptionalIndex<RobotIndex>> next{};  // by at * ends + destination; none: no route
  /// For each mesh, in the order of the media: the robots that reach one another. One part where it is whole.
  std::vector<std::vector<std::vector<RobotIndex>>> parts{};
  std::uint64_t changes = 0;  // of any next hop, since the run began
  SimTime changed_at{};       // the last one

  [[nodiscard]] OptionalIndex<RobotIndex> next_hop(RobotIndex at, RobotIndex destination) const {
    return next[at.value() * ends + destination.value()];
  }
  /// The stations between the two, in order; empty without a route or without relays.
  [[nodiscard]] std::vector<RobotIndex> relays(RobotIndex from, RobotIndex to) const {
    std::vector<RobotIndex> way;
    OptionalIndex<RobotIndex> at = next_hop(from, to);
    while (at && at.value() != to && way.size() < ends) {
      way.push_back(at.value());
      at = next_hop(at.value(), to);
    }
    return at ? way : std::vector<RobotIndex>{};
  }
};

}  // namespace hilgate
