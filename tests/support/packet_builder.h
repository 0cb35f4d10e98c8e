// SPDX-License-Identifier: Apache-2.0
// Packets as tests need them: built from the outside in, with right lengths and checksums unless told otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "frame/address.h"

namespace hilgate::sim {

using Bytes = std::vector<std::byte>;

/// 02:68:67:00:00:NN and 10.77.0.NN, fd77::NN, as robots are addressed in tests.
MacAddress mac_of(unsigned number);
IpAddress ipv4_of(unsigned number);
IpAddress ipv6_of(unsigned number);
inline MacAddress broadcast() {
  return MacAddress{0xFFFF'FFFF'FFFF};
}

struct VlanTag {
  std::uint16_t type = 0x8100;
  std::uint16_t control = 1;  // priority and VLAN id
};
struct Layer2 {
  MacAddress destination;
  MacAddress source;
  std::vector<VlanTag> tags;
  std::size_t pad_to = 0;  // bytes of the frame; Ethernet pads to 60
};

/// Addresses as text; both of the same family.
struct Layer3 {
  std::string source = "10.77.0.1";
  std::string destination = "10.77.0.2";
  std::uint16_t fragment = 0;    // IPv4: flags and offset. IPv6: not 0 puts in a fragment header with this offset field
  std::size_t option_bytes = 0;  // IPv4, a multiple of four
  bool transport_checksum = true;  // false leaves the field as built (zero)
};

/// `size` bytes that differ from frame to frame.
Bytes payload(std::size_t size, std::uint64_t seed = 1);

Bytes ethernet(const Layer2& layer, std::uint16_t type, const Bytes& content);
Bytes arp_request(const Layer2& layer, unsigned sender, unsigned target);
/// An IP packet; fills in the checksum of TCP (6), UDP (17), UDP-Lite (136), ICMP (1) and ICMPv6 (58).
Bytes ip(const Layer3& layer, std::uint8_t protocol, Bytes transport);
/// An Ethernet frame with an IP packet of the family that the addresses say.
Bytes ip_frame(const Layer2& layer2, const Layer3& layer3, std::uint8_t protocol, const Bytes& transport);

/// Transport headers with the checksum field zero.
Bytes udp(const Bytes& data, std::uint16_t source = 5000, std::uint16_t destination = 6000);
Bytes udp_lite(const Bytes& data, std::uint16_t coverage);
Bytes tcp(const Bytes& data, std::size_t option_bytes = 0);
Bytes icmp(const Bytes& data, std::uint8_t type = 8);

/// A UDP frame from robot `from` to robot `to`.
Bytes udp_frame(unsigned from, unsigned to, std::size_t data_bytes, std::uint64_t seed = 1);

/// One's complement sum of all 16-bit words, odd lengths padded with zero (RFC 1071), not inverted.
std::uint16_t ones_sum(std::span<const std::byte> bytes, std::uint32_t start = 0);

/// Whether the transport checksum of an untagged frame is right, by summing the whole packet. Only for frames built
/// here: no bounds are checked.
bool transport_checksum_right(const Bytes& frame, std::size_t ethernet_bytes = 14);

void put16(Bytes& bytes, std::size_t at, std::uint16_t value);
std::uint16_t get16(const Bytes& bytes, std::size_t at);

}  // namespace hilgate::sim
