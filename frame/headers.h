// SPDX-License-Identifier: Apache-2.0
// What the gateway needs to know of a frame's headers. Reading is bounded; what is not understood is payload.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "frame/address.h"
#include "host/byte_cursor.h"

namespace hilgate {

/// Protocol of the Ethernet payload, after any VLAN tags.
enum class EtherType : std::uint16_t {
  kIpv4 = 0x0800,
  kArp = 0x0806,
  kVlan = 0x8100,
  kIpv6 = 0x86DD,
  kProviderVlan = 0x88A8,
};

/// Protocol of the IP payload; of IPv6, the first next header only.
enum class IpProtocol : std::uint8_t { kIcmp = 1, kTcp = 6, kUdp = 17, kIcmpv6 = 58, kUdpLite = 136 };

inline constexpr std::uint32_t kEthernetHeader = 14;
inline constexpr std::uint32_t kIpv4Header = 20;  // without options; RFC 791, 3.1
inline constexpr std::uint32_t kIpv6Header = 40;  // RFC 8200, 3
inline constexpr std::uint32_t kUdpHeader = 8;    // RFC 768
inline constexpr std::uint32_t kVlanTag = 4;
inline constexpr int kMaxVlanTags = 2;

struct EthernetHeader {
  MacAddress destination;
  MacAddress source;
  EtherType type{};
  std::uint32_t payload = 0;  // offset of the first byte after the header and its tags
};

/// Where the parts of an IP packet begin. Offsets count from the start of the frame.
struct IpHeader {
  IpAddress source;
  IpAddress destination;
  IpProtocol protocol{};
  std::uint32_t start = 0;    // IP header
  std::uint32_t payload = 0;  // after the IP header and its options
  std::uint32_t end = 0;      // after the IP packet; Ethernet padding follows
  bool fragment = false;      // any fragment, the first included
};

/// Empty when the bytes are too few for an Ethernet header and the tags it announces.
inline std::optional<EthernetHeader> parse_ethernet(std::span<const std::byte> bytes) {
  if (bytes.size() < kEthernetHeader) {
    return std::nullopt;
  }
  EthernetHeader header{MacAddress::from_wire(bytes.data()), MacAddress::from_wire(bytes.data() + 6),
                        EtherType{load_be<std::uint16_t>(bytes.data() + 12)}, kEthernetHeader};
  for (int tag = 0; tag < kMaxVlanTags; ++tag) {
    if (header.type != EtherType::kVlan && header.type != EtherType::kProviderVlan) {
      break;
    }
    if (bytes.size() < header.payload + kVlanTag) {
      return std::nullopt;
    }
    header.type = EtherType{load_be<std::uint16_t>(bytes.data() + header.payload + 2)};
    header.payload += kVlanTag;
  }
  return header;
}

/// Empty when the payload is not IP or its header is truncated or inconsistent.
std::optional<IpHeader> parse_ip(std::span<const std::byte> bytes, const EthernetHeader& ethernet);

}  // namespace hilgate
