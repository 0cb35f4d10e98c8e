// SPDX-License-Identifier: Apache-2.0
// What a telemetry radio knows of MAVLink: where a message that passes ends. It does not check checksums.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace hilgate {

/// Bytes of a message's beginning that tell how long it is.
inline constexpr std::size_t kMavlinkSizeHead = 3;

/// The size in bytes of the message that begins with `head`: 0 when none does, empty when more bytes are needed to
/// tell. Version 1 has 8 bytes around its payload, version 2 has 12, and 13 more with a signature (mavlink.io, "Packet
/// Serialization").
inline std::optional<std::size_t> mavlink_size(std::span<const std::byte> head) {
  constexpr std::byte kStart1{0xFE};
  constexpr std::byte kStart2{0xFD};
  constexpr std::byte kSigned{0x01};
  if (head.empty()) {
    return std::nullopt;
  }
  if (head[0] != kStart1 && head[0] != kStart2) {
    return 0;
  }
  if (head.size() < (head[0] == kStart1 ? 2 : kMavlinkSizeHead)) {
    return std::nullopt;
  }
  const auto payload = std::to_integer<std::size_t>(head[1]);
  return head[0] == kStart1 ? payload + 8 : payload + 12 + ((head[2] & kSigned) != std::byte{0} ? 13 : 0);
}

}  // namespace hilgate
