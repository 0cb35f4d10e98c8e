// SPDX-License-Identifier: Apache-2.0
#include "path/answers/packet_too_big.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "frame/checksum.h"
#include "frame/headers.h"
#include "host/byte_cursor.h"

namespace hilgate {
namespace {

constexpr std::uint32_t kIcmpHeader = 8;
constexpr std::uint32_t kLongestIpv4 = 576;  // of the answer: RFC 1812, 4.3.2.3
constexpr std::uint32_t kLongestIpv6 = 1'280;
constexpr std::byte kHops{64};

std::uint8_t u8(std::span<const std::byte> bytes, std::size_t at) {
  return std::to_integer<std::uint8_t>(bytes[at]);
}
void put_be16(std::byte* to, std::uint32_t value) {
  to[0] = static_cast<std::byte>(value >> 8);
  to[1] = static_cast<std::byte>(value);
}

// ---- which senders get an answer ----

// RFC 1122, 3.2.2: an address that does not name one host.
bool is_one_host_v4(std::uint32_t address) {
  const std::uint32_t first = address >> 24;
  return first != 0 && first != 127 && first < 224;
}

// RFC 1122, 3.2.2: unreachable, source quench, redirect, time exceeded, parameter problem.
bool is_icmp_error(std::uint8_t type) {
  return (type >= 3 && type <= 5) || type == 11 || type == 12;
}

bool deserves_answer_v4(std::span<const std::byte> head, const IpHeader& ip, bool group) {
  constexpr unsigned kDontFragment = 0x4000;
  constexpr unsigned kOffset = 0x1FFF;
  const unsigned fragment = load_be<std::uint16_t>(head.data() + ip.start + 6);
  if (group || (fragment & kDontFragment) == 0 || (fragment & kOffset) != 0 || !is_one_host_v4(ip.source.v4()) ||
      !is_one_host_v4(ip.destination.v4())) {
    return false;
  }
  return ip.protocol != IpProtocol::kIcmp || (ip.payload < head.size() && !is_icmp_error(u8(head, ip.payload)));
}

// After the extension headers (RFC 8200, 4.1): whether an answer may go out (RFC 4443, 2.4(e)).
bool deserves_answer_v6(std::span<const std::byte> head, const IpHeader& ip) {
  constexpr std::uint8_t kHopByHop = 0;
  constexpr std::uint8_t kRouting = 43;
  constexpr std::uint8_t kFragment = 44;
  constexpr std::uint8_t kDestination = 60;
  constexpr std::uint8_t kFirstInformational = 128;
  constexpr std::uint8_t kRedirect = 137;
  if (ip.source.is_unspecified() || ip.source.is_multicast()) {
    return false;
  }
  auto next = static_cast<std::uint8_t>(ip.protocol);
  std::size_t at = ip.payload;
  while (next == kHopByHop || next == kRouting || next == kFragment || next == kDestination) {
    if (at + 8 > head.size() || (next == kFragment && (load_be<std::uint16_t>(head.data() + at + 2) & 0xFFF8U) != 0)) {
      return false;
    }
    const std::size_t length = next == kFragment ? 8 : 8 * (std::size_t{u8(head, at + 1)} + 1);
    next = u8(head, at);
    at += length;
  }
  if (next != static_cast<std::uint8_t>(IpProtocol::kIcmpv6)) {
    return true;
  }
  return at < head.size() && u8(head, at) >= kFirstInformational && u8(head, at) != kRedirect;
}

// ---- the answer ----

void write_ipv4(std::byte* ip, std::span<const std::byte> asked, std::uint32_t mtu) {
  const auto length = static_cast<std::uint32_t>(kIpv4Header + kIcmpHeader + asked.size());
  const std::byte* const question = asked.data();
  std::byte* const icmp = ip + kIpv4Header;
  ip[0] = std::byte{0x45};
  ip[1] = std::byte{0xC0};  // internetwork control: RFC 1812, 4.3.2.5
  put_be16(ip + 2, length);
  put_be16(ip + 6, 0x4000);
  ip[8] = kHops;
  ip[9] = static_cast<std::byte>(IpProtocol::kIcmp);
  std::memcpy(ip + 12, question + 16, 4);
  std::memcpy(ip + 16, question + 12, 4);
  put_be16(ip + 10, internet_checksum(internet_sum({ip, kIpv4Header})));
  icmp[0] = std::byte{3};
  icmp[1] = std::byte{4};
  put_be16(icmp + 6, mtu);
  std::memcpy(icmp + kIcmpHeader, question, asked.size());
  put_be16(icmp + 2, internet_checksum(internet_sum({icmp, length - kIpv4Header})));
}

// `ip` has its addresses already.
void write_ipv6(std::byte* ip, std::span<const std::byte> asked, std::uint32_t mtu) {
  const auto length = static_cast<std::uint32_t>(kIcmpHeader + asked.size());
  std::byte* const icmp = ip + kIpv6Header;
  ip[0] = std::byte{0x60};
  put_be16(ip + 4, length);
  ip[6] = static_cast<std::byte>(IpProtocol::kIcmpv6);
  ip[7] = kHops;
  icmp[0] = std::byte{2};
  put_be16(icmp + 4, mtu >> 16);
  put_be16(icmp + 6, mtu & 0xFFFF);
  std::memcpy(icmp + kIcmpHeader, asked.data(), asked.size());
  // Pseudo header (RFC 8200, 8.1): both addresses, length, next header.
  const std::uint32_t sum = internet_sum({ip + 8, 32 + length}) + length + static_cast<std::uint32_t>(ip[6]);
  put_be16(icmp + 2, internet_checksum(sum));
}

}  // namespace

std::span<const std::byte> PacketTooBig::answer(std::span<const std::byte> head, std::uint32_t mtu,
                                                std::uint32_t sender, HostTime at, const TooBigSpeaker& speaker) {
  const auto ethernet = parse_ethernet(head);
  const auto ip = ethernet ? parse_ip(head, *ethernet) : std::nullopt;
  if (!ip || ip->end - ip->start <= mtu) {
    return {};
  }
  const bool v4 = ethernet->type == EtherType::kIpv4;
  const bool group = ethernet->destination.is_group() || ip->destination.is_multicast();
  if (!(v4 ? deserves_answer_v4(head, *ip, group) : deserves_answer_v6(head, *ip)) ||
      (group && speaker.ipv6.is_unspecified()) || !may_speak(sender, at)) {
    return {};
  }
  const std::uint32_t headers = (v4 ? kIpv4Header : kIpv6Header) + kIcmpHeader;
  const std::size_t end = std::min<std::size_t>(head.size(), ip->end);
  const std::size_t quoted = std::min<std::size_t>(end - ip->start, (v4 ? kLongestIpv4 : kLongestIpv6) - headers);
  const std::span<const std::byte> asked = head.subspan(ip->start, quoted);

  std::byte* const out = frame_.data();
  std::memset(out, 0, ip->start + headers);
  std::memcpy(out, head.data() + 6, 6);
  std::memcpy(out + 6, head.data(), 6);
  std::memcpy(out + 12, head.data() + 12, ip->start - 12);  // with the same tags
  if (v4) {
    write_ipv4(out + ip->start, asked, mtu);
  } else {
    const std::array words{speaker.ipv6.high(), speaker.ipv6.low()};  // in memory order
    std::memcpy(out + ip->start + 8, group ? reinterpret_cast<const std::byte*>(words.data()) : asked.data() + 24, 16);
    std::memcpy(out + ip->start + 24, asked.data() + 8, 16);
    write_ipv6(out + ip->start, asked, mtu);
  }
  if (group) {
    speaker.mac.to_wire(out + 6);
  }
  return {out, ip->start + headers + quoted};
}

bool PacketTooBig::may_speak(std::uint32_t sender, HostTime at) {
  HostTime& next = next_[sender];
  if (next > at + kEvery * (kBurst - 1)) {
    return false;
  }
  next = std::max(next, at) + kEvery;
  return true;
}

}  // namespace hilgate
