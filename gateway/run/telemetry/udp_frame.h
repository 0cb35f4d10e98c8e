// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "frame/address.h"

namespace hilgate {

/// Both ends of a datagram; the addresses are of one family.
struct UdpEnds {
  MacAddress from_mac, to_mac;
  IpAddress from, to;
  std::uint16_t from_port = 0, to_port = 0;

  [[nodiscard]] UdpEnds reversed() const { return {to_mac, from_mac, to, from, to_port, from_port}; }
  friend auto operator<=>(const UdpEnds&, const UdpEnds&) = default;
};

/// The most data that fits a frame of 1514 bytes.
inline constexpr std::size_t kMostUdpData = 1514 - 14 - 40 - 8;

/// An Ethernet frame without FCS with the datagram, padded to 60 bytes, with all lengths and checksums. Requires data
/// of at most kMostUdpData bytes.
std::vector<std::byte> udp_frame(const UdpEnds& ends, std::string_view data);

}  // namespace hilgate
