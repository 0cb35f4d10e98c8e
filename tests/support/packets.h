// SPDX-License-Identifier: Apache-2.0
// Packets as tests need them: built from the outside in, with right lengths and checksums unless told otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "frame/address.h"

namespace hilgate::test {

/// Bytes that a test may write as numbers: Bytes{0x45, 0}, Bytes(20, 0xff).
class Bytes : public std::vector<std::byte> {
 public:
  using std::vector<std::byte>::vector;
  Bytes() = default;
  Bytes(std::vector<std::byte> bytes) : std::vector<std::byte>(std::move(bytes)) {}
  Bytes(std::initializer_list<std::uint8_t> numbers) {
    for (const std::uint8_t number : numbers) {
      push_back(std::byte{number});
    }
  }
  Bytes(std::size_t count, std::uint8_t number) : std::vector<std::byte>(count, std::byte{number}) {}
};

/// 02:68:67:00:00:NN and 10.77.0.NN, fd77::NN, as robots are addressed in tests.
constexpr MacAddress mac_of(unsigned number) {
  return MacAddress{0x0268'6700'0000ULL + number};
}
IpAddress ipv4_of(unsigned number);
IpAddress ipv6_of(unsigned number);
/// The MAC of robot n, from 0, in a NetLab.
constexpr MacAddress robot_mac(unsigned n) {
  return mac_of(n + 1);
}
inline constexpr MacAddress kBroadcast{0xFFFF'FFFF'FFFF};

struct VlanTag {
  std::uint16_t type = 0x8100;
  std::uint16_t control = 1;  // priority and VLAN id
};
struct Layer2 {
  MacAddress destination;
  MacAddress source = robot_mac(0);
  std::vector<VlanTag> tags{};  // outermost first
  std::size_t pad_to = 0;       // bytes of the frame; Ethernet pads to 60
};

/// Addresses as text; both of the same family.
struct Layer3 {
  std::string source = "10.77.0.1";
  std::string destination = "10.77.0.2";
  std::uint16_t fragment = 0;  // IPv4: flags and offset. IPv6: not 0 puts in a fragment header with this offset field
  Bytes options{};             // IPv4, padded to four bytes with zeros
  bool transport_checksum = true;  // false leaves the field as built (zero)
};

/// `size` bytes that differ from frame to frame.
Bytes payload(std::size_t size, std::uint64_t seed = 1);
/// `size` bytes 0, 1, 2, ...
Bytes counting(std::size_t size);

Bytes ethernet(const Layer2& layer, std::uint16_t type, const Bytes& content);
Bytes arp_request(const Layer2& layer, unsigned sender, unsigned target);
/// An IP packet; fills in the checksum of TCP (6), UDP (17), UDP-Lite (136), ICMP (1) and ICMPv6 (58).
Bytes ip(const Layer3& layer, std::uint8_t protocol, Bytes transport);
/// An Ethernet frame with an IP packet of the family that the addresses say.
Bytes ip_frame(const Layer2& layer2, const Layer3& layer3, std::uint8_t protocol, const Bytes& transport);
/// Packets 10.77.0.1 -> 10.77.0.2 and fd77::1 -> fd77::2 for readers of headers: `content` need not be a whole
/// transport header, and stays as it is.
Bytes ipv4(std::uint8_t protocol, const Bytes& content, const Bytes& options = {}, std::uint16_t fragment = 0);
Bytes ipv6(std::uint8_t next, const Bytes& content);
/// An IPv6 extension header of 8 * (units + 1) bytes, followed by `content`, which `next` names.
Bytes ipv6_extension(std::uint8_t next, std::uint8_t units, const Bytes& content);
/// The IPv4 (4 bytes) or IPv6 (16 bytes) packet for another destination than it was made for. Checksums stay as they
/// are.
Bytes addressed_to(const Bytes& destination, Bytes packet);

/// Transport headers with the checksum field zero.
Bytes udp(const Bytes& data, std::uint16_t destination = 6000, std::uint16_t source = 5000);
Bytes udp_lite(const Bytes& data, std::uint16_t coverage);
Bytes tcp(const Bytes& data, std::size_t option_bytes = 0, std::uint16_t destination = 6000);
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

}  // namespace hilgate::test
