// SPDX-License-Identifier: Apache-2.0
// Frames for tests, byte by byte: what is said is in it, checksums are right, nothing else is.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace hilgate::test {

using Bytes = std::vector<std::uint8_t>;
using Mac = std::array<std::uint8_t, 6>;

inline constexpr Mac kBroadcast = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

/// The MAC of robot n in a NetLab.
constexpr Mac robot_mac(unsigned n) {
  return {0x02, 0x68, 0x67, 0x00, 0x00, static_cast<std::uint8_t>(n + 1)};
}

struct EthernetTo {
  Mac destination;
  Mac source = robot_mac(0);
  std::vector<std::uint32_t> tags{};  // outermost first: TPID << 16 | TCI, such as 0x81000064
};

/// `body` behind an Ethernet header.
Bytes ethernet(const EthernetTo& header, std::uint16_t ethertype, const Bytes& body);

/// IPv4 packet with a right header checksum. `options` is padded to 4 bytes with zeros.
Bytes ipv4(std::uint8_t protocol, const Bytes& body, const Bytes& options = {}, std::uint16_t fragment = 0);

/// IPv6 packet fd77::1 -> fd77::2; `next` says what `body` is.
Bytes ipv6(std::uint8_t next, const Bytes& body);

/// An IPv6 extension header of 8 * (units + 1) bytes, followed by `body`, which `next` names.
Bytes ipv6_extension(std::uint8_t next, std::uint8_t units, const Bytes& body);

/// The IPv4 (4 bytes) or IPv6 (16 bytes) packet for another destination than it was made for. Checksums stay as they
/// are.
Bytes addressed_to(const Bytes& destination, Bytes packet);

/// UDP datagram, checksum 0 (none).
Bytes udp(std::uint16_t destination_port, const Bytes& payload);

/// The first 20 bytes of TCP.
Bytes tcp(std::uint16_t destination_port);

/// ICMPv6 of a type, 24 bytes.
Bytes icmpv6(std::uint8_t type);

/// n bytes 0, 1, 2, ...
Bytes counting(std::size_t n);

}  // namespace hilgate::test
