// SPDX-License-Identifier: Apache-2.0
// Check sequences with reflected bits, byte by byte from a table. "123456789" gives 0x6F91 (MCRF4XX), 0xCBF43926
// (Ethernet), 0xE3069283 (Castagnoli).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace hilgate {

/// A CRC that is fed in pieces. Word is as wide as the check sequence; the polynomial is written reflected.
template <class Word, Word kReflectedPolynomial, Word kFinalXor>
class ReflectedCrc {
 public:
  constexpr ReflectedCrc& add(std::span<const std::byte> bytes) {
    for (const std::byte byte : bytes) {
      const auto place = static_cast<std::uint8_t>(rest_ ^ std::to_integer<std::uint8_t>(byte));
      rest_ = static_cast<Word>((rest_ >> 8) ^ kTable[place]);
    }
    return *this;
  }
  [[nodiscard]] constexpr Word value() const { return static_cast<Word>(rest_ ^ kFinalXor); }

 private:
  static constexpr std::array<Word, 256> kTable = [] {
    std::array<Word, 256> table{};
    for (std::size_t byte = 0; byte < table.size(); ++byte) {
      auto rest = static_cast<Word>(byte);
      for (int bit = 0; bit < 8; ++bit) {
        rest = static_cast<Word>((rest >> 1) ^ ((rest & 1) != 0 ? kReflectedPolynomial : 0));
      }
      table[byte] = rest;
    }
    return table;
  }();

  Word rest_ = static_cast<Word>(~Word{0});
};

using MavlinkCrc = ReflectedCrc<std::uint16_t, 0x8408, 0>;                // CRC-16/MCRF4XX
using EthernetCrc = ReflectedCrc<std::uint32_t, 0xEDB88320, 0xFFFFFFFF>;  // IEEE 802.3, 3.2.9
using Crc32c = ReflectedCrc<std::uint32_t, 0x82F63B78, 0xFFFFFFFF>;       // Castagnoli: iSCSI, RTPS 2.5, our databases

}  // namespace hilgate
