// SPDX-License-Identifier: Apache-2.0
// A limit on the parts of a protobuf message, before it is parsed: two bytes on the wire can be a hundred in memory, so
// that a limit on bytes alone lets a message of empty parts fill the machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "physics_link/connection/wire_fault.h"

namespace hilgate {

/// A field of a message that is a message itself, or a list of strings, and which of its fields are.
struct EntryShape {
  std::uint32_t field = 0;
  std::span<const EntryShape> inside{};
};

/// Twice as many as a scene of 1024 robots has pairs.
inline constexpr std::size_t kMostEntries = std::size_t{1} << 20;

/// kBomb when there are more of the parts that `shape` tells of than `most`. Bytes that are no protobuf are left to the
/// parser.
[[nodiscard]] MaybeFault check_entries(std::string_view plain, std::span<const EntryShape> shape,
                                       std::size_t most = kMostEntries);

}  // namespace hilgate
