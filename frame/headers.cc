// SPDX-License-Identifier: Apache-2.0
#include "frame/headers.h"

#include "frame/checksum.h"
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

namespace {

constexpr std::uint32_t kIpv4Checksum = 10;  // of the header; RFC 791, 3.1
constexpr std::byte kIpv4Bits{0x03};         // of the header's second byte
constexpr std::byte kIpv6Bits{0x30};         // likewise; RFC 8200, 3

// FNV-1a, with a last step that has all bits of the result depend on all of the input (Austin Appleby's MurmurHash3).
class FlowHash {
 public:
  void add(std::span<const std::byte> bytes) {
    for (const std::byte byte : bytes) {
      hash_ = (hash_ ^ std::to_integer<std::uint64_t>(byte)) * 0x100'0000'01B3;
    }
  }
  [[nodiscard]] std::uint32_t value() const {
    std::uint64_t mixed = (hash_ ^ (hash_ >> 33)) * 0xFF51'AFD7'ED55'8CCD;
    mixed = (mixed ^ (mixed >> 33)) * 0xC4CE'B9FE'1A85'EC53;
    return static_cast<std::uint32_t>(mixed >> 32);
  }

 private:
  std::uint64_t hash_ = 0xCBF2'9CE4'8422'2325;
};

}  // namespace

Ecn ecn_of(std::span<const std::byte> head) {
  const auto ethernet = parse_ethernet(head);
  const auto ip = ethernet ? parse_ip(head, *ethernet) : std::nullopt;
  if (!ip) {
    return Ecn::kNotCapable;
  }
  const std::byte traffic_class = head[ip->start + 1];
  return ethernet->type == EtherType::kIpv4 ? Ecn{std::to_integer<std::uint8_t>(traffic_class & kIpv4Bits)}
                                            : Ecn{std::to_integer<std::uint8_t>((traffic_class & kIpv6Bits) >> 4)};
}

void set_congestion(std::span<std::byte> head) {
  const auto ethernet = parse_ethernet(head);
  const auto ip = ethernet ? parse_ip(head, *ethernet) : std::nullopt;
  if (!ip) {
    return;
  }
  const std::span<std::byte> start = head.subspan(ip->start);
  if (ethernet->type == EtherType::kIpv6) {
    start[1] |= kIpv6Bits;
    return;
  }
  const std::uint32_t before = load_be<std::uint16_t>(start, 0);
  start[1] |= kIpv4Bits;
  const std::uint32_t after = load_be<std::uint16_t>(start, 0);
  const std::uint32_t checksum = load_be<std::uint16_t>(start, kIpv4Checksum);
  store_be<std::uint16_t>(start, kIpv4Checksum, internet_checksum((~checksum & 0xFFFF) + (~before & 0xFFFF) + after));
}

std::uint32_t flow_number(std::span<const std::byte> head) {
  FlowHash hash;
  const auto ethernet = parse_ethernet(head);
  const auto ip = ethernet ? parse_ip(head, *ethernet) : std::nullopt;
  if (!ip) {
    hash.add(head.first(head.size() < kEthernetHeader ? head.size() : kEthernetHeader));
    return hash.value();
  }
  const std::byte protocol{static_cast<std::uint8_t>(ip->protocol)};
  hash.add({&protocol, 1});
  if (ethernet->type == EtherType::kIpv4) {
    hash.add(head.subspan(ip->start + 12, 8));
  } else {
    hash.add(head.subspan(ip->start + 8, 32));
  }
  const bool has_ports =
      ip->protocol == IpProtocol::kTcp || ip->protocol == IpProtocol::kUdp || ip->protocol == IpProtocol::kUdpLite;
  constexpr std::uint32_t kPorts = 4;
  if (has_ports && !ip->fragment && head.size() >= ip->payload + kPorts) {
    hash.add(head.subspan(ip->payload, kPorts));
  }
  return hash.value();
}

}  // namespace hilgate
