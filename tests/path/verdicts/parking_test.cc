// SPDX-License-Identifier: Apache-2.0
// Frames that wait for verdicts: what the frame path tells the control thread, and how it obeys.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/gateway_rig.h"
#include "tests/support/statistics.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using What = ParkedOrder::What;

constexpr RobotSlot kParkedRed{0}, kParkedBlue{1}, kParkedGreen{2};

PathSettings parking_settings(std::size_t packets = 64) {
  PathSettings settings = plain_settings(3);
  settings.parked_packets = packets;
  for (LinkRules& rules : settings.air.rules) {
    rules.policy = ErrorPolicy::kCorruptRaw;
  }
  return settings;
}

class ParkingRig : public GatewayRig {
 public:
  explicit ParkingRig(const PathSettings& wanted = parking_settings()) : GatewayRig(wanted) {
    path->verdicts().open = true;
    for (auto& port : ports) {
      port->keep_bytes = true;
    }
  }
  void send(std::uint32_t from, const Bytes& frame) {
    arrive(from, frame);
    iterate();
  }
  void order(const ParkedOrder& wanted) {
    ASSERT_TRUE(path->verdicts().orders.push(wanted));
    iterate();
  }
  void forget(std::uint64_t packet, DropReason reason = DropReason::kVerdictMissing) {
    order({.packet = packet, .what = What::kForget, .reason = reason});
  }
  std::vector<ParkedPacket> parked() {
    std::vector<ParkedPacket> packets;
    for (ParkedPacket packet; path->verdicts().parked.pop(packet);) {
      packets.push_back(packet);
    }
    return packets;
  }
  [[nodiscard]] const PathTotals& totals() const { return path->totals(); }
};

Bytes group_frame(unsigned from) {
  return ip_frame({.destination = kBroadcast, .source = mac_of(from)},
                  {.source = "10.77.0.1", .destination = "10.77.0.255"}, 17, udp(payload(100)));
}

ParkedOrder deliver(std::uint64_t packet, RobotSlot to, HostTime due = VerdictRings::kNow, double ber = 0) {
  return {.packet = packet, .due = due, .ber = ber, .to = to, .what = What::kDeliver};
}

TEST(Parking, ReportsTheTrafficClass) {
  constexpr std::uint8_t kVoice = 0xB8;  // expedited forwarding
  ParkingRig rig;
  Bytes four = udp_frame(1, 2, 100);
  four[15] = std::byte{kVoice};  // DSCP and ECN of IPv4
  Bytes six = ip_frame({.destination = mac_of(2), .source = mac_of(1)}, {.source = "fd77::1", .destination = "fd77::2"},
                       17, udp(Bytes(50)));
  six[14] = std::byte{0x60 | kVoice >> 4};  // behind the version
  six[15] = std::byte{kVoice << 4 & 0xF0};
  rig.send(0, four);
  rig.send(0, six);
  rig.send(0, udp_frame(1, 2, 100));
  const auto packets = rig.parked();
  ASSERT_EQ(packets.size(), 3U);
  EXPECT_EQ(packets[0].traffic_class, kVoice);
  EXPECT_EQ(packets[1].traffic_class, kVoice);
  EXPECT_EQ(packets[2].traffic_class, 0U);
}

TEST(Parking, ReportsSenderFrameAndReceiver) {
  ParkingRig rig;
  rig.send(0, udp_frame(1, 2, 100));
  rig.send(0, group_frame(1));
  const auto packets = rig.parked();
  ASSERT_EQ(packets.size(), 2U);
  EXPECT_EQ(packets[0].id, 0U);
  EXPECT_EQ(packets[0].from, kParkedRed);
  EXPECT_EQ(packets[0].to, kParkedBlue);
  EXPECT_EQ(packets[0].length, 142U);
  EXPECT_EQ(packets[0].src_ip, 0x0A4D0001U);
  EXPECT_EQ(packets[0].dst_ip, 0x0A4D0002U);
  EXPECT_EQ(packets[0].arrived, rig.clock.now());
  EXPECT_EQ(packets[1].id, 1U);
  EXPECT_FALSE(packets[1].to);
  EXPECT_EQ(rig.totals().held, 3U) << "one delivery and two";
  EXPECT_TRUE(rig.totals().balanced());
}

TEST(Parking, WithoutAJudgeDropsFramesAtOnce) {
  ParkingRig rig;
  rig.path->verdicts().open = false;
  rig.send(0, group_frame(1));
  EXPECT_EQ(rig.dropped(DropReason::kVerdictMissing), 2U);
  EXPECT_EQ(rig.parked().size(), 0U);
  EXPECT_TRUE(rig.totals().balanced());
}

TEST(Parking, ReleasesAtTheInstantOfTheVerdictAndNotBefore) {
  ParkingRig rig;
  const Bytes frame = udp_frame(1, 2, 100);
  rig.send(0, frame);
  rig.order(deliver(0, kParkedBlue, rig.clock.now() + 5ms));
  rig.forget(0);
  rig.clock.advance(5ms - 1ns);
  rig.iterate();
  EXPECT_EQ(rig.sent(1).size(), 0U);
  rig.clock.advance(1ns);
  rig.iterate();
  ASSERT_EQ(rig.sent(1).size(), 1U);
  EXPECT_EQ(rig.sent(1)[0].bytes, frame);
  EXPECT_EQ(rig.totals().asked_late.total(), 0U);
  EXPECT_EQ(rig.totals().held, 0U);
}

TEST(Parking, CountsByHowMuchAVerdictCameTooLate) {
  ParkingRig rig;
  rig.send(0, udp_frame(1, 2, 100));
  const HostTime asked = rig.clock.now();
  rig.clock.advance(3ms);
  rig.order(deliver(0, kParkedBlue, asked));
  EXPECT_EQ(rig.sent(1).size(), 1U);
  EXPECT_EQ(rig.totals().asked_late.total(), 1U);
  EXPECT_GE(rig.totals().asked_late.quantile(1.0), 3ms);
}

TEST(Parking, GivesEveryReceiverItsOwnVerdict) {
  ParkingRig rig;
  rig.send(0, group_frame(1));
  rig.order(deliver(0, kParkedBlue));
  rig.order({.packet = 0, .to = kParkedGreen, .what = What::kDrop, .reason = DropReason::kUnreachable});
  EXPECT_EQ(rig.sent(1).size(), 1U);
  EXPECT_EQ(rig.sent(2).size(), 0U);
  EXPECT_EQ(rig.link(0, 2).dropped[static_cast<std::size_t>(DropReason::kUnreachable)].get(), 1U);
  EXPECT_EQ(rig.totals().held, 0U);
  EXPECT_TRUE(rig.totals().balanced());
}

TEST(Parking, MakesACopyForASecondVerdictOnOneReceiver) {
  ParkingRig rig;
  const Bytes frame = udp_frame(1, 2, 100);
  rig.send(0, frame);
  rig.order(deliver(0, kParkedBlue));
  rig.order(deliver(0, kParkedBlue));
  rig.forget(0);
  ASSERT_EQ(rig.sent(1).size(), 2U);
  EXPECT_EQ(rig.sent(1)[1].bytes, frame);
  EXPECT_EQ(rig.totals().copies, 1U);
  EXPECT_EQ(rig.totals().deliveries, 2U);
  EXPECT_TRUE(rig.totals().balanced());
}

TEST(Parking, DamagesOneReceiversFrameAndNotTheOthers) {
  ParkingRig rig;
  const Bytes frame = group_frame(1);
  constexpr std::uint64_t kPackets = 50;
  for (std::uint64_t packet = 0; packet < kPackets; ++packet) {
    rig.send(0, frame);
    rig.order(deliver(packet, kParkedBlue, VerdictRings::kNow, 1e-3));
    rig.order(deliver(packet, kParkedGreen));
    rig.forget(packet);
  }
  EXPECT_EQ(rig.sent(1).size() + rig.dropped(DropReason::kHeaderHit), kPackets);
  const auto spoilt = std::ranges::count_if(rig.sent(1), [&](const Sent& sent) { return sent.bytes != frame; });
  EXPECT_GT(spoilt, 0);
  EXPECT_EQ(rig.totals().damaged, static_cast<std::uint64_t>(spoilt));
  EXPECT_EQ(rig.sent(2).size(), kPackets);
  EXPECT_TRUE(std::ranges::all_of(rig.sent(2), [&](const Sent& sent) { return sent.bytes == frame; }));
}

// What rosnetsim_compat_test says of the bytes; here, that each receiver of a broadcast gets a packet of its own.
TEST(Parking, BitErrorsFollowThePolicyOfTheLink) {
  constexpr std::uint64_t kPackets = 1000;
  PathSettings settings = parking_settings();
  settings.air.modes = {PhyMode{}};  // a cable's: a frame's bytes and nothing else
  settings.air.rules[link_of(kParkedRed, kParkedBlue, 3).value()].policy = ErrorPolicy::kFcsDrop;
  ParkingRig rig(settings);
  const auto judge = [&](std::uint64_t first, RobotSlot to, std::size_t bytes, double ber) {
    const Bytes frame =
        ethernet({.destination = mac_of(to.value() + 1), .source = mac_of(1)}, 0x88B5, Bytes(bytes - 14));
    for (std::uint64_t packet = first; packet < first + kPackets; ++packet) {
      rig.send(0, frame);
      ASSERT_EQ(rig.parked().size(), 1U);
      rig.order(deliver(packet, to, VerdictRings::kNow, ber));
      rig.forget(packet);
    }
  };
  const auto share = [](std::size_t bits, double ber) {
    return -std::expm1(static_cast<double>(bits) * std::log1p(-ber));
  };
  judge(0, kParkedBlue, 1000, 2e-5);
  EXPECT_EQ(rig.dropped(DropReason::kLostOnAir) + rig.sent(1).size(), kPackets);
  EXPECT_GT(binomial_tails(rig.dropped(DropReason::kLostOnAir), kPackets, share(8000, 2e-5)), 1e-4);
  // Where damage is delivered, errors in the MAC header lose the frame.
  judge(kPackets, kParkedGreen, 214, 1e-3);
  EXPECT_EQ(rig.dropped(DropReason::kHeaderHit) + rig.sent(2).size(), kPackets);
  EXPECT_GT(binomial_tails(rig.dropped(DropReason::kHeaderHit), kPackets, share(112, 1e-3)), 1e-4);
  EXPECT_GT(binomial_tails(kPackets - rig.totals().damaged - rig.dropped(DropReason::kHeaderHit), kPackets,
                           1 - share(1712, 1e-3)),
            1e-4);
  EXPECT_EQ(rig.link(0, 2).damaged.get(), rig.totals().damaged);
}

TEST(Parking, EqualsTheReferenceOnRequest) {
  PathSettings settings = parking_settings();
  settings.reference_errors = true;
  ParkingRig rig(settings);
  const Bytes frame = group_frame(1);
  rig.send(0, frame);
  rig.order(deliver(0, kParkedBlue));
  rig.order(deliver(0, kParkedGreen, VerdictRings::kNow, 0.5));
  rig.forget(0);
  ASSERT_EQ(rig.sent(1).size(), 1U);
  const Bytes& got = rig.sent(1)[0].bytes;
  EXPECT_EQ(get16(got, 30), 0x0A4D);
  EXPECT_EQ(get16(got, 32), 0x0002) << "blue's own address";
  EXPECT_EQ(ones_sum(std::span(got).subspan(14, 20)), 0xFFFF);
  EXPECT_EQ(get16(got, 40), 0) << "UDP's checksum is gone";
  EXPECT_EQ(rig.dropped(DropReason::kHeaderHit), 1U) << "half of all bits: certainly one of the header's";
  EXPECT_EQ(rig.pool.leaked(), 0U);
  EXPECT_TRUE(rig.totals().balanced());
}

TEST(Parking, ForgettingDropsUnjudgedPackets) {
  ParkingRig rig;
  rig.send(0, group_frame(1));
  rig.order(deliver(0, kParkedBlue));
  rig.forget(0, DropReason::kVerdictDrop);
  EXPECT_EQ(rig.dropped(DropReason::kVerdictDrop), 1U);
  EXPECT_EQ(rig.pool.leaked(), 0U);
  rig.order(deliver(0, kParkedGreen));  // it is gone
  EXPECT_EQ(rig.sent(2).size(), 0U);
  EXPECT_TRUE(rig.totals().balanced());
}

TEST(Parking, IgnoresVerdictsForOthersThanTheReceivers) {
  ParkingRig rig;
  rig.send(0, udp_frame(1, 2, 100));
  for (const RobotSlot nobody : {kParkedRed, kParkedGreen, RobotSlot{3}, RobotSlot{0xFFFF'FFFF}}) {
    rig.order(deliver(0, nobody));
    rig.order({.packet = 0, .to = nobody, .what = What::kDrop});
  }
  rig.order(deliver(64, kParkedBlue));  // another packet of the same place
  EXPECT_EQ(rig.totals().released, 0U);
  EXPECT_EQ(rig.totals().held, 1U);
  EXPECT_TRUE(rig.totals().balanced());
}

TEST(Parking, ConfiguredImpairmentsOfALinkStay) {
  PathSettings settings = parking_settings();
  settings.air.rules[link_of(kParkedRed, kParkedBlue, 3).value()].extra_delay = 2ms;
  settings.air.rules[link_of(kParkedRed, kParkedGreen, 3).value()].impairments = independent_loss(1);
  ParkingRig rig(settings);
  rig.send(0, group_frame(1));
  rig.order(deliver(0, kParkedBlue, rig.clock.now() + 1ms));
  rig.order(deliver(0, kParkedGreen));
  EXPECT_EQ(rig.dropped(DropReason::kConfiguredLoss), 1U);
  rig.clock.advance(3ms - 1ns);
  rig.iterate();
  EXPECT_EQ(rig.sent(1).size(), 0U);
  rig.clock.advance(1ns);
  rig.iterate();
  EXPECT_EQ(rig.sent(1).size(), 1U);
}

// A neighbour solicitation: ICMPv6 135 with the hop limit that only neighbours can have.
Bytes solicitation(std::uint8_t type = 135, std::byte hop_limit = std::byte{255}) {
  Bytes frame = ip_frame({.destination = MacAddress{0x3333'FF00'0002}, .source = mac_of(1)},
                         {.source = "fd77::1", .destination = "ff02::1:ff00:2"}, 58, icmp(Bytes(24), type));
  frame[21] = hop_limit;
  return frame;
}

TEST(Parking, AReloadThatTakesARateAwayReleasesNothingBeforeItsInstant) {
  PathSettings settings = parking_settings();
  settings.air.rules[1].impairments = std::make_shared<const Impairments>(Impairments{.rate = RateLimit{1e6}});
  ParkingRig rig(settings);
  rig.send(0, udp_frame(1, 2, 100));
  const HostTime due = rig.clock.now() + 2ms;
  rig.order(deliver(0, kParkedBlue, due));
  rig.change(parking_settings());
  rig.run(3ms);
  ASSERT_EQ(rig.sent(1).size(), 1U);
  EXPECT_EQ(rig.sent(1).front().at, due);
}

TEST(Parking, AddressResolutionPassesAroundASimulatorThatKnowsIpv4Alone) {
  PathSettings settings = parking_settings();
  settings.resolution_unjudged = true;
  settings.air.rules[link_of(kParkedRed, kParkedBlue, 3).value()].extra_delay = 2ms;
  settings.air.rules[link_of(kParkedRed, kParkedGreen, 3).value()].impairments = independent_loss(1);
  ParkingRig rig(settings);
  const Bytes request = arp_request({.destination = kBroadcast, .source = mac_of(1), .pad_to = 60}, 1, 2);
  rig.send(0, request);
  rig.send(0, solicitation());
  EXPECT_TRUE(rig.parked().empty());
  EXPECT_EQ(rig.sent(1).size(), 0U) << "what configuration adds to a link stays";
  EXPECT_EQ(rig.dropped(DropReason::kConfiguredLoss), 2U);
  rig.run(2ms);
  ASSERT_EQ(rig.sent(1).size(), 2U);
  EXPECT_EQ(rig.sent(1)[0].bytes, request);
  rig.send(0, udp_frame(1, 2, 100));
  EXPECT_EQ(rig.parked().size(), 1U) << "others are judged";
  EXPECT_TRUE(rig.totals().balanced());
}

TEST(Parking, AddressResolutionIsJudgedUnlessConfiguredOtherwise) {
  ParkingRig rig;
  rig.send(0, arp_request({.destination = kBroadcast, .source = mac_of(1)}, 1, 2));
  rig.send(0, solicitation());
  EXPECT_EQ(rig.parked().size(), 2U);
}

TEST(Parking, MalformedAddressResolutionIsJudged) {
  PathSettings settings = parking_settings();
  settings.resolution_unjudged = true;
  ParkingRig rig(settings);
  rig.send(0, solicitation(135, std::byte{64}));  // came from afar
  rig.send(0, solicitation(128));                 // an echo request
  rig.send(0, ethernet({.destination = mac_of(2), .source = mac_of(1)}, 0x0806, Bytes(1000)));
  EXPECT_EQ(rig.parked().size(), 3U);
  // A robot that hides its traffic in ARP: more than finding neighbours takes is judged.
  for (int i = 0; i < 300; ++i) {
    rig.send(0, arp_request({.destination = mac_of(2), .source = mac_of(1)}, 1, 2));
  }
  EXPECT_LE(rig.sent(1).size(), static_cast<std::size_t>(ResolutionAllowance::kBurst) + 1);
  EXPECT_GE(rig.sent(1).size(), static_cast<std::size_t>(ResolutionAllowance::kBurst));
  rig.send(1, arp_request({.destination = mac_of(1), .source = mac_of(2)}, 2, 1));
  EXPECT_EQ(rig.sent(0).size(), 1U) << "each robot has a share of its own";
}

TEST(Parking, IsFullUntilAPacketIsForgotten) {
  ParkingRig rig(parking_settings(4));
  for (int i = 0; i < 6; ++i) {
    rig.send(0, udp_frame(1, 2, 100));
  }
  EXPECT_EQ(rig.dropped(DropReason::kHoldFull), 2U);
  EXPECT_EQ(rig.parked().size(), 4U);
  rig.forget(2);
  for (int i = 0; i < 4; ++i) {
    rig.send(0, udp_frame(1, 2, 100));
  }
  EXPECT_EQ(rig.dropped(DropReason::kHoldFull), 5U);
  const auto packets = rig.parked();
  ASSERT_EQ(packets.size(), 1U);
  EXPECT_EQ(packets[0].id, 4U);
  EXPECT_TRUE(rig.totals().balanced());
}

// Four times the capacity of 4 later the number of the waiting packet's slot comes again: that one packet is refused.
TEST(Parking, SkipsAnIdWhoseSlotIsTaken) {
  ParkingRig rig(parking_settings(4));
  rig.send(0, udp_frame(1, 2, 100));
  for (std::uint64_t id = 1; id < 16; ++id) {
    rig.send(0, udp_frame(1, 2, 100));
    rig.parked();
    rig.forget(id);
  }
  EXPECT_EQ(rig.dropped(DropReason::kHoldFull), 0U);
  rig.send(0, udp_frame(1, 2, 100));
  EXPECT_EQ(rig.dropped(DropReason::kHoldFull), 1U);
  rig.send(0, udp_frame(1, 2, 100));
  const auto packets = rig.parked();
  ASSERT_EQ(packets.size(), 1U);
  EXPECT_EQ(packets[0].id, 17U);
  EXPECT_TRUE(rig.totals().balanced());
}

TEST(Parking, DropsParkedFramesAtTheEnd) {
  ParkingRig rig;
  rig.send(0, group_frame(1));
  rig.order(deliver(0, kParkedBlue, rig.clock.now() + 1s));
  rig.path->drain();
  EXPECT_EQ(rig.dropped(DropReason::kShutdown), 2U);
  EXPECT_EQ(rig.pool.leaked(), 0U);
  EXPECT_TRUE(rig.totals().balanced());
}

}  // namespace
}  // namespace hilgate::test
