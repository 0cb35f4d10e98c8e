// SPDX-License-Identifier: Apache-2.0
// How robots find one another's MAC addresses: ARP (RFC 826), and neighbour discovery of IPv6 (RFC 4861). Network
// simulators that know IPv4 packets alone have no answer to them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "clock/allowance.h"
#include "frame/address.h"
#include "frame/headers.h"
#include "host/byte_cursor.h"

namespace hilgate {

/// Answers for robots that the asking robot cannot reach. A host without a neighbour's address sends only requests for
/// it. A vehicle out of range would thus fall silent, and a gateway that knows its position by its telemetry alone
/// would never see it come back. Radios that carry a serial stream have no such requests. Used by one thread. Does not
/// allocate.
class NeighbourAnswers {
 public:
  /// The address that a frame asks for. Empty unless it is an ARP request or a neighbour solicitation from a host with
  /// an address: probes for duplicates stay unanswered. `payload` follows the EtherType.
  static std::optional<IpAddress> asked(std::span<const std::byte> head, std::uint32_t payload);

  /// What the host that was asked for would send, if its address is `mac`. Requires asked(). Valid until the next call.
  std::span<const std::byte> answer(std::span<const std::byte> head, std::uint32_t payload, MacAddress mac);

 private:
  std::span<const std::byte> answer_arp(std::span<const std::byte> head, std::uint32_t payload, MacAddress mac);
  std::span<const std::byte> answer_solicitation(std::span<const std::byte> head, std::uint32_t payload,
                                                 MacAddress mac);
  void write_mac_header(std::span<const std::byte> head, std::uint32_t payload, std::span<const std::byte, 6> to,
                        MacAddress from);

  static constexpr std::size_t kLongest = 22 + 40 + 32;  // two tags, IPv6, an advertisement with one option
  std::array<std::byte, kLongest> frame_{};
};

/// Longest message after the MAC header that counts as one: ARP has 28 bytes, discovery rarely more than 100.
inline constexpr std::uint32_t kLongestResolution = 128;

/// How many a robot may send past the simulator: enough to find some hundred others at once. What is more is judged: a
/// robot must not hide its traffic in ARP.
using ResolutionAllowance = Allowance<128, 256>;

/// Whether a frame resolves addresses: ARP (RFC 826), or ICMPv6 133 to 137 with the hop limit that RFC 4861 requires.
/// `head` is the frame's first segment, `length` that of the whole frame; `payload` follows the EtherType.
inline bool resolves_addresses(std::span<const std::byte> head, std::uint32_t length, std::uint32_t payload) {
  constexpr std::size_t kNextHeader = 6;  // in the IPv6 header
  constexpr std::size_t kHopLimit = 7;
  constexpr std::byte kRouterSolicitation{133};
  constexpr std::byte kRedirect{137};
  if (payload < 2 || head.size() < payload || length - payload > kLongestResolution) {
    return false;
  }
  const EtherType type{load_be<std::uint16_t>(head, payload - 2)};
  if (type != EtherType::kIpv6) {
    return type == EtherType::kArp;
  }
  const std::span<const std::byte> ip = head.subspan(payload);
  return ip.size() > kIpv6Header && ip[kNextHeader] == static_cast<std::byte>(IpProtocol::kIcmpv6) &&
         ip[kHopLimit] == std::byte{255} && ip[kIpv6Header] >= kRouterSolicitation && ip[kIpv6Header] <= kRedirect;
}

}  // namespace hilgate
