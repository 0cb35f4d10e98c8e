// SPDX-License-Identifier: Apache-2.0
// The checksum of MAVLink frames: CRC-16/MCRF4XX, which MAVLink's text calls X.25 and which, unlike that, has no final
// inversion (radio-models 11). Covered are the header behind the start byte, the payload, and a byte of the message's
// own, CRC_EXTRA, so that ends that disagree about a message's fields do not understand each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace hilgate::mavlink {

inline constexpr std::uint16_t kCrcStart = 0xFFFF;

constexpr std::uint16_t crc_add(std::uint16_t crc, std::uint8_t byte) {
  std::uint32_t mixed = (byte ^ crc) & 0xFFU;
  mixed = (mixed ^ (mixed << 4)) & 0xFFU;
  return static_cast<std::uint16_t>((crc >> 8) ^ (mixed << 8) ^ (mixed << 3) ^ (mixed >> 4));
}

constexpr std::uint16_t crc_of(std::span<const std::byte> bytes, std::uint8_t extra) {
  std::uint16_t crc = kCrcStart;
  for (const std::byte byte : bytes) {
    crc = crc_add(crc, std::to_integer<std::uint8_t>(byte));
  }
  return crc_add(crc, extra);
}

}  // namespace hilgate::mavlink
