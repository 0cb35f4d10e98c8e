// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hilgate {

/// Which robot of the link tables is at which place of the path. A robot keeps its place over changes of the
/// configuration; its number in link tables is that of the newest configuration.
struct TableRobots {
  static constexpr std::uint32_t kNone = 0xFFFF'FFFF;  // nobody is at this place

  std::size_t places = 0;
  std::size_t robots = 0;  // in link tables
  /// By place: the RobotId in link tables, kNone where there is none. Empty: places are RobotIds.
  std::vector<std::uint32_t> of_place{};
};

}  // namespace hilgate
