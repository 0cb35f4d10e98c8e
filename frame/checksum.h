// SPDX-License-Identifier: Apache-2.0
// The Internet checksum (RFC 1071), and bringing one in line with bytes that changed without summing again (RFC 1624).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "frame/frame_bytes.h"
#include "frame/headers.h"

namespace hilgate {

/// Sum of 16-bit words in network order, odd lengths padded with zero (RFC 1071), not folded: for up to 64 KiB.
std::uint32_t internet_sum(std::span<const std::byte> bytes);
/// The checksum of such a sum.
std::uint16_t internet_checksum(std::uint32_t sum);

/// Offset of the first byte after the TCP, UDP, UDP-Lite or ICMP header; the IP payload's start for other protocols,
/// for fragments and for headers that do not fit into `head`.
std::uint32_t transport_payload(std::span<const std::byte> head, const IpHeader& ip);

/// Collects changes to one packet's IP payload and then updates its checksum field.
class ChecksumRepair {
 public:
  /// Empty when the frame has no checksum that could be repaired: not IPv4/IPv6 with TCP, UDP or ICMP, a fragment,
  /// a UDP datagram sent without checksum, or a header that is not in the first segment or not in the IP packet.
  static std::optional<ChecksumRepair> of(std::span<const std::byte> head);

  /// A byte at this offset of the frame changed. Bytes outside the IP payload (Ethernet padding) do not count.
  void changed(std::uint32_t offset, std::byte before, std::byte after);

  void write(FrameBytes& bytes) const;

 private:
  ChecksumRepair(const IpHeader& ip, std::uint32_t field)
      : start_(ip.payload), end_(ip.end), field_(field), is_udp_(ip.protocol == IpProtocol::kUdp) {}

  std::uint32_t start_;
  std::uint32_t end_;
  std::uint32_t field_;  // offset of the checksum in the frame
  bool is_udp_;
  std::uint64_t sum_ = 0;  // of ~m + m' (RFC 1624, eqn. 3)
};

// Check sequences with reflected bits, byte by byte from a table. "123456789" gives 0x6F91 (MCRF4XX), 0xCBF43926
// (Ethernet), 0xE3069283 (Castagnoli).

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
