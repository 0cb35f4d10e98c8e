// SPDX-License-Identifier: Apache-2.0
// A limit on the parts of a protobuf message, before it is parsed: two bytes on the wire can be a hundred in memory, so
// that a limit on bytes alone lets a message of empty parts fill the machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "physics_link/connection/protocol_fault.h"

namespace hilgate {

/// A field of a message that is a message itself, or a list of strings, and which of its fields are.
struct EntryShape {
  std::uint32_t field = 0;
  std::span<const EntryShape> inside{};
  bool is_text = false;  // its bytes are not parsed as parts
};

/// As many verdicts as a window may bring, and each is some 100 bytes in memory.
inline constexpr std::size_t kMostEntries = std::size_t{1} << 18;

/// For messages with an entry for each pair of robots, or for each link, and some others.
constexpr std::size_t most_entries(std::size_t robots) {
  const std::size_t links = 2 * robots * robots;
  return links > kMostEntries ? links : kMostEntries;
}

/// kBomb when the parts that `shape` describes are more than `most`. kBadMessage for what none of the protocols has and
/// what hides parts from this count: groups, and tags of more than 32 bits. Other bytes that are no protobuf
/// are left to the parser, which stops where the count does.
[[nodiscard]] MaybeFault check_entries(std::string_view plain, std::span<const EntryShape> shape,
                                       std::size_t most = kMostEntries);

}  // namespace hilgate
