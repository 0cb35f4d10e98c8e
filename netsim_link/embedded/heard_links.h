// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "netsim_link/link_state.h"

namespace hilgate {

/// Makes a sparse table anew as LinkTable::silence() and what is written after it, but leaves alone what is written
/// again: from window to window most links stay audible, and each is a line of the cache far from the others.
class HeardLinks {
 public:
  /// All links are about to be written that are to be audible, and listed in `heard`, which is empty now.
  void begin(LinkTable& table, std::size_t links);
  /// Those that were audible and have not been written are silent.
  void finish(LinkTable& table);
  /// Instead of finish(): the writer has thrown.
  static void give_up(LinkTable& table);

 private:
  [[nodiscard]] bool is_written(std::uint32_t link) const { return (written_[link / kBits] >> link % kBits & 1U) != 0; }

  static constexpr std::uint32_t kBits = 64;
  std::vector<std::uint32_t> before_;   // audible in the table at hand
  std::vector<std::uint64_t> written_;  // a bit for each link
};

}  // namespace hilgate
