// SPDX-License-Identifier: Apache-2.0
// Bytes as they are on a telemetry line.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tests/support/packets.h"

namespace hilgate::test {

/// A message of version 2 with `payload` bytes, none of which is a start byte: 12 more on the line, 25 with a
/// signature. The checksum is not right.
inline Bytes mavlink2_like(std::size_t payload, std::uint8_t fill, bool is_signed = false) {
  Bytes bytes(payload + (is_signed ? 25 : 12), std::byte{static_cast<std::uint8_t>(fill & 0x7F)});
  bytes[0] = std::byte{0xFD};
  bytes[1] = std::byte{static_cast<std::uint8_t>(payload)};
  bytes[2] = std::byte{static_cast<std::uint8_t>(is_signed ? 1 : 0)};
  return bytes;
}

/// Likewise of version 1: 8 more.
inline Bytes mavlink1_like(std::size_t payload, std::uint8_t fill) {
  Bytes bytes(payload + 8, std::byte{static_cast<std::uint8_t>(fill & 0x7F)});
  bytes[0] = std::byte{0xFE};
  bytes[1] = std::byte{static_cast<std::uint8_t>(payload)};
  return bytes;
}

inline Bytes joined(std::initializer_list<Bytes> parts) {
  Bytes all;
  for (const Bytes& part : parts) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace hilgate::test
