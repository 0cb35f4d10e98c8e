// SPDX-License-Identifier: Apache-2.0
#include "frame/headers.h"

#include "host/byte_cursor.h"

namespace hilgate {
namespace {

constexpr std::uint32_t kIpv4MinHeader = 20;  // RFC 791, 3.1
constexpr unsigned kFragmentBits = 0x3FFF;    // more-fragments flag and offset
constexpr std::uint8_t kIpv6FragmentHeader = 44;

std::optional<IpHeader> parse_ipv4(std::span<const std::byte> bytes, std::uint32_t start) {
  if (bytes.size() < start + kIpv4MinHeader) {
    return std::nullopt;
  }
  const std::byte* ip = bytes.data() + start;
  const auto header_length = 4 * std::to_integer<std::uint32_t>(ip[0] & std::byte{0x0F});
  const std::uint32_t total_length = load_be<std::uint16_t>(ip + 2);
  if (std::to_integer<unsigned>(ip[0] >> 4) != 4 || header_length < kIpv4MinHeader || total_length < header_length ||
      bytes.size() < start + header_length) {
    return std::nullopt;
  }
  return IpHeader{IpAddress::from_wire_v4(ip + 12),
                  IpAddress::from_wire_v4(ip + 16),
                  IpProtocol{std::to_integer<std::uint8_t>(ip[9])},
                  start,
                  start + header_length,
                  start + total_length,
                  (load_be<std::uint16_t>(ip + 6) & kFragmentBits) != 0};
}

std::optional<IpHeader> parse_ipv6(std::span<const std::byte> bytes, std::uint32_t start) {
  if (bytes.size() < start + kIpv6Header) {
    return std::nullopt;
  }
  const std::byte* ip = bytes.data() + start;
  if (std::to_integer<unsigned>(ip[0] >> 4) != 6) {
    return std::nullopt;
  }
  const auto next = std::to_integer<std::uint8_t>(ip[6]);
  return IpHeader{IpAddress::from_wire_v6(ip + 8),
                  IpAddress::from_wire_v6(ip + 24),
                  IpProtocol{next},
                  start,
                  start + kIpv6Header,
                  start + kIpv6Header + load_be<std::uint16_t>(ip + 4),
                  next == kIpv6FragmentHeader};
}

}  // namespace

std::optional<IpHeader> parse_ip(std::span<const std::byte> bytes, const EthernetHeader& ethernet) {
  switch (ethernet.type) {
    case EtherType::kIpv4:
      return parse_ipv4(bytes, ethernet.payload);
    case EtherType::kIpv6:
      return parse_ipv6(bytes, ethernet.payload);
    default:
      return std::nullopt;
  }
}

}  // namespace hilgate
