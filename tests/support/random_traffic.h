// SPDX-License-Identifier: Apache-2.0
// Traffic from a seed: who sends what when. The same seed gives the same frames.
#pragma once

#include <random>
#include <vector>

#include "clock/time.h"
#include "tests/support/packets.h"

namespace hilgate::test {

struct TimedFrame {
  HostTime arrived;
  std::uint32_t port;
  Bytes bytes;
};

/// `count` frames of `robots` robots (each on the port of its number) over `length` from `start`, in order of arrival:
/// UDP, TCP, ICMP and ARP over IPv4 and IPv6, a third of it to all.
inline std::vector<TimedFrame> random_traffic(std::uint64_t seed, std::size_t count, std::uint32_t robots,
                                              HostTime start, Nanoseconds length) {
  std::mt19937_64 random(seed);
  std::vector<std::int64_t> times(count);
  for (std::int64_t& time : times) {
    time = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(length.count()));
  }
  std::ranges::sort(times);
  std::vector<TimedFrame> frames;
  for (const std::int64_t time : times) {
    const auto from = static_cast<std::uint32_t>(random() % robots);
    const auto to = static_cast<std::uint32_t>((from + 1 + random() % (robots - 1)) % robots);
    const Layer2 layer2{.destination = random() % 3 == 0 ? kBroadcast : mac_of(to + 1),
                        .source = mac_of(from + 1),
                        .tags = std::vector<VlanTag>(random() % 2)};
    const bool v6 = random() % 2 == 0;
    const Layer3 layer3{.source = (v6 ? ipv6_of(from + 1) : ipv4_of(from + 1)).text(),
                        .destination = (v6 ? ipv6_of(to + 1) : ipv4_of(to + 1)).text()};
    const Bytes data = payload(random() % 1400, random());
    Bytes bytes;
    switch (random() % 4) {
      case 0:
        bytes = ip_frame(layer2, layer3, 17, udp(data));
        break;
      case 1:
        bytes = ip_frame(layer2, layer3, 6, tcp(data));
        break;
      case 2:
        bytes = ip_frame(layer2, layer3, v6 ? 58 : 1, icmp(data));
        break;
      default:
        bytes = arp_request(layer2, from + 1, to + 1);
    }
    frames.push_back({start + Nanoseconds{time}, from, std::move(bytes)});
  }
  return frames;
}

}  // namespace hilgate::test
