// SPDX-License-Identifier: Apache-2.0
#include "path/answers/address_resolution.h"

#include <algorithm>

#include "frame/checksum.h"
#include "frame/headers.h"
#include "host/byte_cursor.h"

namespace hilgate {
namespace {

constexpr std::size_t kShortestFrame = 60;
constexpr std::size_t kMac = 6;

// Offsets in an ARP packet of Ethernet and IPv4.
constexpr std::size_t kArpLength = 28;
constexpr std::size_t kArpOperation = 6;
constexpr std::size_t kArpSenderMac = 8;
constexpr std::size_t kArpSenderIp = 14;
constexpr std::size_t kArpTargetMac = 18;
constexpr std::size_t kArpTargetIp = 24;
constexpr std::uint64_t kArpRequest = 0x0001'0800'0604'0001;  // Ethernet, IPv4, lengths 6 and 4, request

// Offsets in an IPv6 packet, and after its header in a solicitation or an advertisement.
constexpr std::size_t kIpv6Next = 6;
constexpr std::size_t kIpv6Hops = 7;
constexpr std::size_t kSourceAddress = 8;
constexpr std::size_t kDestinationAddress = 24;
constexpr std::size_t kTarget = 8;
constexpr std::size_t kOptions = 24;
constexpr std::size_t kSolicitation = 24;
constexpr std::size_t kAdvertisement = 32;
constexpr std::byte kSolicitationType{135};
constexpr std::byte kAdvertisementType{136};
constexpr std::byte kSolicitedOverride{0x60};
constexpr std::byte kTargetLinkLayer{2};

EtherType type_at(std::span<const std::byte> head, std::uint32_t payload) {
  return EtherType{load_be<std::uint16_t>(head, payload - 2)};
}

void copy(std::span<const std::byte> from, std::size_t at, std::size_t count, std::span<std::byte> to,
          std::size_t to_at) {
  std::ranges::copy(from.subspan(at, count), to.begin() + static_cast<std::ptrdiff_t>(to_at));
}

std::optional<IpAddress> asked_by_arp(std::span<const std::byte> arp) {
  if (arp.size() < kArpLength || load_be<std::uint64_t>(arp, 0) != kArpRequest ||
      load_be<std::uint32_t>(arp, kArpSenderIp) == 0) {
    return std::nullopt;
  }
  return IpAddress::from_wire_v4(arp.data() + kArpTargetIp);
}

std::optional<IpAddress> asked_by_solicitation(std::span<const std::byte> ip) {
  if (ip.size() < kIpv6Header + kSolicitation || ip[kIpv6Next] != static_cast<std::byte>(IpProtocol::kIcmpv6) ||
      ip[kIpv6Hops] != std::byte{255} || ip[kIpv6Header] != kSolicitationType ||
      IpAddress::from_wire_v6(ip.data() + kSourceAddress).is_unspecified()) {
    return std::nullopt;
  }
  return IpAddress::from_wire_v6(ip.data() + kIpv6Header + kTarget);
}

}  // namespace

std::optional<IpAddress> NeighbourAnswers::asked(std::span<const std::byte> head, std::uint32_t payload) {
  if (payload < kEthernetHeader || head.size() < payload) {
    return std::nullopt;
  }
  switch (type_at(head, payload)) {
    case EtherType::kArp:
      return asked_by_arp(head.subspan(payload));
    case EtherType::kIpv6:
      return asked_by_solicitation(head.subspan(payload));
    default:
      return std::nullopt;
  }
}

std::span<const std::byte> NeighbourAnswers::answer(std::span<const std::byte> head, std::uint32_t payload,
                                                    MacAddress mac) {
  frame_.fill(std::byte{0});
  return type_at(head, payload) == EtherType::kArp ? answer_arp(head, payload, mac)
                                                   : answer_solicitation(head, payload, mac);
}

void NeighbourAnswers::write_mac_header(std::span<const std::byte> head, std::uint32_t payload,
                                        std::span<const std::byte, 6> to, MacAddress from) {
  std::ranges::copy(to, frame_.begin());
  from.to_wire(frame_.data() + kMac);
  copy(head, 2 * kMac, payload - 2 * kMac, frame_, 2 * kMac);  // with the same tags
}

std::span<const std::byte> NeighbourAnswers::answer_arp(std::span<const std::byte> head, std::uint32_t payload,
                                                        MacAddress mac) {
  const std::span<const std::byte> asked = head.subspan(payload, kArpLength);
  write_mac_header(head, payload, asked.subspan<kArpSenderMac, kMac>(), mac);
  const std::span<std::byte> arp = std::span(frame_).subspan(payload);
  copy(asked, 0, kArpOperation, arp, 0);
  arp[kArpOperation + 1] = std::byte{2};
  mac.to_wire(arp.data() + kArpSenderMac);
  copy(asked, kArpTargetIp, 4, arp, kArpSenderIp);
  copy(asked, kArpSenderMac, kMac + 4, arp, kArpTargetMac);
  return std::span(frame_).first(std::max<std::size_t>(payload + kArpLength, kShortestFrame));
}

std::span<const std::byte> NeighbourAnswers::answer_solicitation(std::span<const std::byte> head, std::uint32_t payload,
                                                                 MacAddress mac) {
  const std::span<const std::byte> asked = head.subspan(payload);
  write_mac_header(head, payload, head.subspan<kMac, kMac>(), mac);
  const std::span<std::byte> ip = std::span(frame_).subspan(payload, kIpv6Header + kAdvertisement);
  ip[0] = std::byte{0x60};
  ip[5] = std::byte{kAdvertisement};
  ip[kIpv6Next] = static_cast<std::byte>(IpProtocol::kIcmpv6);
  ip[kIpv6Hops] = std::byte{255};
  copy(asked, kIpv6Header + kTarget, 16, ip, kSourceAddress);
  copy(asked, kSourceAddress, 16, ip, kDestinationAddress);
  const std::span<std::byte> icmp = ip.subspan(kIpv6Header);
  icmp[0] = kAdvertisementType;
  icmp[4] = kSolicitedOverride;
  copy(asked, kIpv6Header + kTarget, 16, icmp, kTarget);
  icmp[kOptions] = kTargetLinkLayer;
  icmp[kOptions + 1] = std::byte{1};
  mac.to_wire(icmp.data() + kOptions + 2);
  const std::uint32_t pseudo_header = internet_sum(ip.subspan(kSourceAddress, 32)) +
                                      static_cast<std::uint32_t>(kAdvertisement) +
                                      static_cast<std::uint32_t>(IpProtocol::kIcmpv6);
  store_be(icmp, 2, internet_checksum(pseudo_header + internet_sum(icmp)));
  return std::span(frame_).first(payload + kIpv6Header + kAdvertisement);
}

}  // namespace hilgate
