// SPDX-License-Identifier: Apache-2.0
#include "tests/world/world_traffic.h"

#include <algorithm>

namespace hilgate::test {

WorldTraffic::WorldTraffic(const WorldPlan& plan) : plan_(plan), robots_on_(plan.ports()), numbers_(plan.places()) {
  for (std::uint32_t from = 0; from < plan.robots; ++from) {
    robots_on_[plan.port_of[from]].push_back(from);
    for (std::uint32_t to = 0; to <= plan.robots; ++to) {
      for (std::size_t variant = 0; variant < kVariants; ++variant) {
        frames_.push_back(made(from, to, variant));
      }
    }
  }
}

Bytes WorldTraffic::made(std::uint32_t from, std::uint32_t to, std::size_t variant) const {
  const bool to_all = to == plan_.robots;
  const unsigned receiver = to_all ? from + 2 : to + 1;
  const Layer2 layer2{.destination = to_all ? kBroadcast : mac_of(receiver),
                      .source = mac_of(from + 1),
                      .tags = std::vector<VlanTag>(variant == 1 ? 1 : 0)};
  const Bytes data = payload(30 + 50 * variant, from * 100 + to);
  if (variant == 3 && to_all) {
    return arp_request(layer2, from + 1, receiver);
  }
  const bool v6 = variant == 2;
  const Layer3 layer3{.source = (v6 ? ipv6_of(from + 1) : ipv4_of(from + 1)).text(),
                      .destination = (v6 ? ipv6_of(receiver) : ipv4_of(receiver)).text()};
  return ip_frame(layer2, layer3, 17, udp(data));
}

FrameIdentity WorldTraffic::next(std::uint32_t from, std::uint32_t to, HostTime now) {
  return {.number = numbers_[from]++,
          .arrived = now,
          .port = plan_.port_of[from],
          .from = from,
          .to = to,
          .kind = FrameKind::kRobots};
}

WorldTraffic::Arrival WorldTraffic::of(std::uint32_t from, std::uint32_t to, HostTime now, WorldRandom& random) {
  const Bytes& frame = frames_[(from * (plan_.robots + 1) + to) * kVariants + random.below(kVariants)];
  const std::uint32_t receiver = to == plan_.robots ? FrameIdentity::kEverybody : to;
  std::span<const std::byte> bytes = frame;
  if (random.chance(0.01)) {  // cut short behind the MAC header and its tag
    bytes = bytes.first(18 + random.below(static_cast<std::uint32_t>(frame.size() - 18)));
  }
  const std::size_t head = random.chance(0.9) ? bytes.size() : std::max<std::size_t>(18, random.below(200));
  return {bytes, next(from, receiver, now), head};
}

bool WorldTraffic::is_open(std::uint32_t port) const {
  return plan_.settings.robots[robots_on_[port].front()].macs.empty();
}

WorldTraffic::Arrival WorldTraffic::on(std::uint32_t port, HostTime now, WorldRandom& random) {
  const auto& robots = robots_on_[port];
  const std::uint32_t from = robots[random.below(static_cast<std::uint32_t>(robots.size()))];
  if (random.chance(0.03)) {
    return refused(from, static_cast<FrameKind>(2 + random.below(is_open(port) ? 2 : 4)), now, random);
  }
  const std::uint32_t others = plan_.hostile ? plan_.robots - 2 : plan_.robots;
  std::uint32_t to = random.chance(0.15) ? plan_.robots : random.below(others);
  if (to == from) {
    to = (to + 1) % others;
  }
  return of(from, to, now, random);
}

WorldTraffic::Arrival WorldTraffic::hostile(HostTime now, WorldRandom& random) {
  const std::uint32_t from = plan_.robots - 1;
  return random.chance(0.5) ? of(from, from - 1, now, random)
                            : refused(from, static_cast<FrameKind>(2 + random.below(4)), now, random);
}

WorldTraffic::Arrival WorldTraffic::refused(std::uint32_t from, FrameKind kind, HostTime now, WorldRandom& random) {
  FrameIdentity identity = next(from, (from + 1) % plan_.robots, now);
  identity.kind = kind;
  scratch_ = frames_[from * (plan_.robots + 1) * kVariants];
  const auto claim = [this](MacAddress source) {
    for (std::size_t i = 0; i < 6; ++i) {
      scratch_[6 + i] = static_cast<std::byte>(source.value() >> (40 - 8 * i));
    }
  };
  switch (kind) {
    case FrameKind::kRunt:
      scratch_.resize(1 + random.below(13));
      break;
    case FrameKind::kOversize:
      scratch_.resize(257 + random.below(60));
      break;
    case FrameKind::kUnknown:
      claim(mac_of(100 + random.below(5000)));
      break;
    default: {
      // A robot of another port that has an address.
      std::uint32_t victim = random.below(plan_.robots);
      while (plan_.port_of[victim] == identity.port || plan_.settings.robots[victim].macs.empty()) {
        victim = (victim + 1) % plan_.robots;
        if (victim == from) {
          identity.kind = FrameKind::kUnknown;
          claim(mac_of(99));
          return {scratch_, identity, scratch_.size()};
        }
      }
      claim(mac_of(victim + 1));
      identity.from = victim;
      break;
    }
  }
  return {scratch_, identity, scratch_.size()};
}

}  // namespace hilgate::test
