// SPDX-License-Identifier: Apache-2.0
#include "frame/checksum.h"

#include "host/byte_cursor.h"

#include <algorithm>

namespace hilgate {
namespace {

struct Transport {
  std::uint32_t header_bytes;                // fixed part
  std::optional<std::uint32_t> checksum_at;  // offset in the header of the checksum that is kept right
};

std::optional<Transport> transport_of(IpProtocol protocol) {
  switch (protocol) {
    case IpProtocol::kTcp:
      return Transport{20, 16};  // RFC 9293, 3.1
    case IpProtocol::kUdp:
      return Transport{8, 6};  // RFC 768
    case IpProtocol::kIcmp:
    case IpProtocol::kIcmpv6:
      return Transport{8, 2};  // RFC 792, RFC 4443
    case IpProtocol::kUdpLite:
      return Transport{8, std::nullopt};  // it covers a prefix: its applications accept the damage (RFC 3828)
    default:
      return std::nullopt;
  }
}

// Both words as 16 bits in the frame's byte order; a byte at an even offset of the payload is the high one.
std::uint16_t word_of(std::byte byte, bool high) {
  const auto value = std::to_integer<unsigned>(byte);
  return static_cast<std::uint16_t>(high ? value << 8 : value);
}

}  // namespace

std::uint32_t internet_sum(std::span<const std::byte> bytes) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    sum += std::to_integer<std::uint32_t>(bytes[i]) << (i % 2 == 0 ? 8 : 0);
  }
  return sum;
}

std::uint16_t internet_checksum(std::uint32_t sum) {
  while (sum > 0xFFFF) {
    sum = (sum & 0xFFFF) + (sum >> 16);
  }
  return static_cast<std::uint16_t>(~sum);
}

std::uint32_t transport_payload(std::span<const std::byte> head, const IpHeader& ip) {
  const auto transport = transport_of(ip.protocol);
  if (ip.fragment || !transport || head.size() < ip.payload + transport->header_bytes) {
    return ip.payload;
  }
  if (ip.protocol == IpProtocol::kTcp) {
    return ip.payload + 4 * std::to_integer<std::uint32_t>(head[ip.payload + 12] >> 4);  // data offset
  }
  return ip.payload + transport->header_bytes;
}

std::optional<ChecksumRepair> ChecksumRepair::of(std::span<const std::byte> head) {
  const auto ethernet = parse_ethernet(head);
  const auto ip = ethernet ? parse_ip(head, *ethernet) : std::nullopt;
  const auto transport = ip ? transport_of(ip->protocol) : std::nullopt;
  if (!transport || !transport->checksum_at || ip->fragment ||
      std::min<std::size_t>(head.size(), ip->end) < ip->payload + transport->header_bytes) {
    return std::nullopt;
  }
  const std::uint32_t field = ip->payload + *transport->checksum_at;
  if (ip->protocol == IpProtocol::kUdp && load_be<std::uint16_t>(head.data() + field) == 0) {
    return std::nullopt;
  }
  return ChecksumRepair{*ip, field};
}

void ChecksumRepair::changed(std::uint32_t offset, std::byte before, std::byte after) {
  if (offset < start_ || offset >= end_) {
    return;
  }
  const bool high = (offset - start_) % 2 == 0;
  sum_ += static_cast<std::uint16_t>(~word_of(before, high)) + std::uint64_t{word_of(after, high)};
}

void ChecksumRepair::write(FrameBytes& bytes) const {
  const auto old = static_cast<std::uint16_t>((std::to_integer<unsigned>(bytes[field_]) << 8) |
                                              std::to_integer<unsigned>(bytes[field_ + 1]));
  std::uint64_t sum = static_cast<std::uint16_t>(~old) + sum_;
  while (sum >> 16 != 0) {
    sum = (sum & 0xFFFF) + (sum >> 16);
  }
  auto fresh = static_cast<std::uint16_t>(~sum);
  if (fresh == 0 && is_udp_) {
    fresh = 0xFFFF;  // zero would mean "no checksum" (RFC 768)
  }
  bytes[field_] = std::byte{static_cast<std::uint8_t>(fresh >> 8)};
  bytes[field_ + 1] = std::byte{static_cast<std::uint8_t>(fresh)};
}

}  // namespace hilgate
