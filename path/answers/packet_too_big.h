// SPDX-License-Identifier: Apache-2.0
// The error for a sender whose packet is longer than its radio carries: ICMP "fragmentation needed and DF set" with the
// next hop's MTU (RFC 792, RFC 1191 section 4), or ICMPv6 "packet too big" (RFC 4443, 3.2), so that path MTU discovery
// finds what fits.
//
// No error is sent where the standards forbid it (RFC 1122 3.2.2, RFC 1812 4.3.2.7, RFC 4443 2.4(e)): for errors of
// ICMP itself, fragments but the first, senders that are no single host, group addresses (but IPv6 multicast), and IPv4
// packets without DF; and for other protocols than IP.
//
// The answer seems to come from the packet's own receiver, as Linux's tunnels under bridges do it (ip_tunnel_core.c,
// iptunnel_pmtud_build_icmp): the gateway has no address, and no host drops packets from its peer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "clock/time.h"
#include "frame/address.h"

namespace hilgate {

/// Source of the answer where the packet went to a group.
struct TooBigSpeaker {
  MacAddress mac;
  IpAddress ipv6;  // unspecified: no answer
};

/// Writes answers, at most so many per sender (RFC 4443 2.4(f), RFC 1812 4.3.2.8): 10 at once and 10 a second. Used by
/// one thread. Does not allocate after construction.
class PacketTooBig {
 public:
  static constexpr std::int64_t kBurst = 10;
  static constexpr Nanoseconds kEvery{100'000'000};

  explicit PacketTooBig(std::size_t senders) : next_(senders) {}

  /// The frame to send back to `sender` (its slot) for the frame whose beginning is `head`, whose MAC header ends at
  /// `payload` and that came at `at`; empty where no error is due. Valid until the next call.
  std::span<const std::byte> answer(std::span<const std::byte> head, std::uint32_t mtu, std::uint32_t sender,
                                    HostTime at, const TooBigSpeaker& speaker);

 private:
  static constexpr std::size_t kMacHeader = 22;   // with two tags
  static constexpr std::size_t kLongest = 1'280;  // of the answer's packet: IPv6's least MTU
  bool may_speak(std::uint32_t sender, HostTime at);

  std::vector<HostTime> next_;  // by sender: when all its answers would have been sent at one per kEvery
  std::array<std::byte, kMacHeader + kLongest> frame_{};
};

}  // namespace hilgate
