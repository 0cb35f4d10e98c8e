// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hilgate {

/// Which robot of the link tables has which slot of the path. A robot keeps its slot over changes of the configuration;
/// its index in link tables is that in the newest configuration.
struct TableRobots {
  static constexpr std::uint32_t kNone = 0xFFFF'FFFF;  // nobody has this slot

  std::size_t slots = 0;
  std::size_t robots = 0;  // in link tables
  /// By slot: the index in link tables, kNone where there is none. Empty: slots and indices are the same.
  std::vector<std::uint32_t> index_of_slot{};
};

}  // namespace hilgate
