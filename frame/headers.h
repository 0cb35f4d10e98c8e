// SPDX-License-Identifier: Apache-2.0
// What the gateway needs to know of a frame's headers. Reading is bounded; what is not understood is payload.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "frame/address.h"
#include "frame/frame.h"
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

// The VLAN tag of a frame, IEEE 802.1Q-2018, 9.3 to 9.6: after the addresses, the ethertype 0x8100, three bits of
// priority, the drop eligible bit and the VLAN's number. A frame with number 0 has a priority and is of no VLAN.

/// 1 to 4094; 0: none.
using VlanId = std::uint16_t;
inline constexpr VlanId kMaxVlanId = 4094;

/// The outer tag's control field: priority and VLAN. Empty when the frame has no tag of this kind.
inline std::optional<std::uint16_t> vlan_control(std::span<const std::byte> head) {
  constexpr std::size_t kType = kEthernetHeader - 2;
  if (head.size() < kEthernetHeader + kVlanTag ||
      load_be<std::uint16_t>(head.data() + kType) != static_cast<std::uint16_t>(EtherType::kVlan)) {
    return std::nullopt;
  }
  return load_be<std::uint16_t>(head.data() + kEthernetHeader);
}
constexpr VlanId vlan_of(std::uint16_t control) {
  return control & 0x0FFF;
}

/// Takes the frame off its VLAN: without its tag or, where that has a priority, with VLAN 0 in it. Requires a tag, and
/// a frame that has one owner. False: its memory cannot do this, and the frame is spoilt.
template <FramePool Pool>
bool take_off_vlan(Pool& pool, Frame& frame) {
  const std::span<std::byte> head(frame.data, frame.head_length);
  const std::uint16_t priority = *vlan_control(head) & 0xF000;
  if (priority != 0) {
    store_be(head, kEthernetHeader, priority);
    return true;
  }
  std::memmove(frame.data + kVlanTag, frame.data, kEthernetHeader - 2);
  return pool.move_start(frame, kVlanTag);
}

/// Puts the frame into a VLAN: with a tag of its own or, where it has one with VLAN 0, in that. Requires a frame that
/// has one owner. False: its memory has no room.
template <FramePool Pool>
bool put_on_vlan(Pool& pool, Frame& frame, VlanId vlan) {
  if (const auto control = vlan_control({frame.data, frame.head_length}); control && vlan_of(*control) == 0) {
    store_be(std::span(frame.data, frame.head_length), kEthernetHeader, static_cast<std::uint16_t>(*control | vlan));
    return true;
  }
  std::byte* const addresses = frame.data;
  if (!pool.move_start(frame, -static_cast<int>(kVlanTag))) {
    return false;
  }
  std::memmove(frame.data, addresses, kEthernetHeader - 2);
  const std::span<std::byte> head(frame.data, frame.head_length);
  store_be(head, kEthernetHeader - 2, static_cast<std::uint16_t>(EtherType::kVlan));
  store_be(head, kEthernetHeader, vlan);
  return true;
}

// Explicit congestion notification in IP headers (RFC 3168): two bits, in IPv4's TOS and IPv6's traffic class.

/// The ECN field (RFC 3168, 5).
enum class Ecn : std::uint8_t { kNotCapable = 0, kCapable1 = 1, kCapable0 = 2, kCongestion = 3 };

/// The field of the frame whose first segment is `head`; kNotCapable where it is not IP.
Ecn ecn_of(std::span<const std::byte> head);

/// Sets Congestion Experienced, and has IPv4's header checksum follow (RFC 1624, equation 3). Requires ecn_of() to be
/// another value than kNotCapable.
void set_congestion(std::span<std::byte> head);

/// A number of the frame's flow: of addresses, protocol and ports for IP (of fragments without ports), otherwise of the
/// MAC addresses and the EtherType.
std::uint32_t flow_number(std::span<const std::byte> head);

}  // namespace hilgate
