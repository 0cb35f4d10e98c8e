// SPDX-License-Identifier: Apache-2.0
// What senders hear of packets that are longer than their radio carries.
#include "path/answers/packet_too_big.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/gateway_rig.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kMtu = 1300;
constexpr std::uint16_t kDontFragment = 0x4000;
constexpr std::uint8_t kUdp = 17;
constexpr std::uint8_t kIcmp = 1;
constexpr std::uint8_t kIcmpv6 = 58;

const Layer2 kPlain{.destination = mac_of(2), .source = mac_of(1), .tags = {}};
const Layer3 kV4{.fragment = kDontFragment};
const Layer3 kV6{.source = "fd77::1", .destination = "fd77::2"};
const Bytes kLong = udp(payload(1400));

class PacketTooBigTest : public testing::Test {
 protected:
  PacketTooBigTest() {
    PathSettings settings = plain_settings(2);
    settings.air.domains.resize(1);
    for (LinkRules& rules : settings.air.rules) {
      rules.mtu_bytes = kMtu;
    }
    for (auto& station : settings.air.stations) {
      station = Station{.queue_frames = 100, .icmp_mtu = kMtu};
    }
    rig = std::make_unique<GatewayRig>(settings);
    for (auto& port : rig->ports) {
      port->keep_bytes = true;
    }
    rig->publish({});
  }

  // What the sender hears of a frame, and that the books hold.
  std::vector<Bytes> answers(const Bytes& frame) {
    const std::size_t before = rig->sent(0).size();
    rig->arrive(0, frame);
    rig->run(2ms);
    EXPECT_TRUE(rig->path->totals().balanced());
    std::vector<Bytes> heard;
    for (std::size_t i = before; i < rig->sent(0).size(); ++i) {
      heard.push_back(rig->sent(0)[i].bytes);
    }
    return heard;
  }
  Bytes answer(const Bytes& frame) {
    const auto heard = answers(frame);
    EXPECT_EQ(heard.size(), 1U);
    return heard.empty() ? Bytes(100) : heard.front();
  }

  std::unique_ptr<GatewayRig> rig;
};

Bytes part(const Bytes& bytes, std::size_t at, std::size_t length) {
  return {bytes.begin() + static_cast<std::ptrdiff_t>(at), bytes.begin() + static_cast<std::ptrdiff_t>(at + length)};
}

TEST_F(PacketTooBigTest, Ipv4SendersReceiveTheMtuFromTheReceiver) {
  const Bytes asked = ip_frame(kPlain, kV4, kUdp, kLong);
  const Bytes heard = answer(asked);
  ASSERT_EQ(heard.size(), 14U + 576U) << "as much of the packet as fits into 576 bytes";
  EXPECT_EQ(part(heard, 0, 6), part(asked, 6, 6));
  EXPECT_EQ(part(heard, 6, 6), part(asked, 0, 6));
  EXPECT_EQ(get16(heard, 12), 0x0800);
  EXPECT_EQ(part(heard, 14 + 12, 4), part(asked, 14 + 16, 4)) << "from the receiver";
  EXPECT_EQ(part(heard, 14 + 16, 4), part(asked, 14 + 12, 4)) << "to the sender";
  EXPECT_EQ(get16(heard, 14 + 2), 576);
  EXPECT_EQ(ones_sum(part(heard, 14, 20)), 0xFFFF);
  EXPECT_EQ(get16(heard, 34), 0x0304) << "destination unreachable, fragmentation needed";
  EXPECT_EQ(get16(heard, 40), kMtu);
  EXPECT_EQ(ones_sum(part(heard, 34, heard.size() - 34)), 0xFFFF);
  EXPECT_EQ(part(heard, 42, 548), part(asked, 14, 548));
  EXPECT_EQ(rig->dropped(DropReason::kTooLong), 1U);
  EXPECT_EQ(rig->path->totals().injected, 1U);
}

TEST_F(PacketTooBigTest, Ipv6SendersReceiveTheMtuFromTheReceiver) {
  const Bytes asked = ip_frame(kPlain, kV6, kUdp, kLong);
  const Bytes heard = answer(asked);
  ASSERT_EQ(heard.size(), 14U + 1280U);
  EXPECT_EQ(part(heard, 14 + 8, 16), part(asked, 14 + 24, 16));
  EXPECT_EQ(part(heard, 14 + 24, 16), part(asked, 14 + 8, 16));
  EXPECT_EQ(get16(heard, 54), 0x0200) << "packet too big";
  EXPECT_EQ(get16(heard, 58), 0);
  EXPECT_EQ(get16(heard, 60), kMtu);
  EXPECT_TRUE(transport_checksum_right(heard));
  EXPECT_EQ(part(heard, 62, 1232), part(asked, 14, 1232));
}

TEST_F(PacketTooBigTest, AnswersCarryTheVlanTagsOfThePacket) {
  Layer2 tagged = kPlain;
  tagged.tags = {{.type = 0x88A8, .control = 7}, {.type = 0x8100, .control = 42}};
  const Bytes asked = ip_frame(tagged, kV4, kUdp, kLong);
  const Bytes heard = answer(asked);
  ASSERT_EQ(heard.size(), 22U + 576U);
  EXPECT_EQ(part(heard, 12, 10), part(asked, 12, 10));
  EXPECT_EQ(get16(heard, 22 + 20), 0x0304);
}

TEST_F(PacketTooBigTest, FittingPacketsAreSentWithoutAnswer) {
  EXPECT_TRUE(answers(ip_frame(kPlain, kV4, kUdp, udp(payload(kMtu - 28)))).empty());
  EXPECT_EQ(rig->sent(1).size(), 1U);
  EXPECT_EQ(answers(ip_frame(kPlain, kV4, kUdp, udp(payload(kMtu - 27)))).size(), 1U);
  EXPECT_EQ(rig->sent(1).size(), 1U);
}

TEST_F(PacketTooBigTest, NothingIsSaidWhereTheStandardsWantSilence) {
  const Layer2 broadcast_frame{.destination = kBroadcast, .source = mac_of(1), .tags = {}};
  const auto v4 = [](Layer3 layer, std::uint8_t protocol = kUdp, const Bytes& transport = kLong) {
    return ip_frame(kPlain, layer, protocol, transport);
  };
  EXPECT_TRUE(answers(v4({.fragment = 0})).empty()) << "a packet that may be fragmented";
  EXPECT_TRUE(answers(v4({.fragment = kDontFragment | 5})).empty()) << "a fragment but the first";
  EXPECT_TRUE(answers(v4(kV4, kIcmp, icmp(payload(1400), 3))).empty()) << "an error";
  EXPECT_TRUE(answers(v4(kV4, kIcmp, icmp(payload(1400), 11))).empty()) << "an error";
  EXPECT_TRUE(answers(v4({.source = "0.0.0.0", .fragment = kDontFragment})).empty()) << "from nobody";
  EXPECT_TRUE(answers(v4({.source = "255.255.255.255", .fragment = kDontFragment})).empty()) << "from everybody";
  EXPECT_TRUE(answers(v4({.destination = "239.1.2.3", .fragment = kDontFragment})).empty()) << "to a group";
  EXPECT_TRUE(answers(ip_frame(broadcast_frame, kV4, kUdp, kLong)).empty()) << "to everybody on the link";
  EXPECT_TRUE(answers(v4(kV6, kIcmpv6, icmp(payload(1400), 1))).empty()) << "an error of ICMPv6";
  EXPECT_TRUE(answers(v4(kV6, kIcmpv6, icmp(payload(1400), 137))).empty()) << "a redirect";
  EXPECT_TRUE(answers(v4({.source = "::", .destination = "fd77::2"})).empty()) << "from nobody";
  EXPECT_TRUE(answers(v4({.source = "fd77::1", .destination = "fd77::2", .fragment = 0x80})).empty())
      << "a fragment but the first";
  EXPECT_TRUE(answers(ethernet(kPlain, 0x88B5, payload(1400))).empty()) << "no IP";
  EXPECT_EQ(rig->dropped(DropReason::kTooLong), 13U);
  EXPECT_EQ(answers(v4(kV4, kIcmp, icmp(payload(1400), 8))).size(), 1U) << "a ping is no error";
  EXPECT_EQ(answers(v4(kV6, kIcmpv6, icmp(payload(1400), 128))).size(), 1U) << "a ping is no error";
}

TEST_F(PacketTooBigTest, Ipv6GroupsAreAnsweredByAReceiver) {
  const Layer2 group{.destination = MacAddress{0x3333'0000'0001}, .source = mac_of(1), .tags = {}};
  const Bytes asked = ip_frame(group, {.source = "fd77::1", .destination = "ff02::1"}, kUdp, kLong);
  const Bytes heard = answer(asked);
  const Bytes from_receiver = ip_frame(kPlain, kV6, kUdp, kLong);
  EXPECT_EQ(part(heard, 6, 6), part(from_receiver, 0, 6));
  EXPECT_EQ(part(heard, 14 + 8, 16), part(from_receiver, 14 + 24, 16));
  EXPECT_TRUE(transport_checksum_right(heard));
}

TEST_F(PacketTooBigTest, AnswersAreFew) {
  const Bytes asked = ip_frame(kPlain, kV4, kUdp, kLong);
  std::size_t heard = 0;
  for (int i = 0; i < 40; ++i) {
    rig->arrive(0, asked);
  }
  heard = answers(asked).size();
  EXPECT_EQ(heard, 10U);
  EXPECT_EQ(rig->dropped(DropReason::kTooLong), 41U);
  rig->clock.advance(350ms);
  std::size_t later = 0;
  for (int i = 0; i < 20; ++i) {
    later += answers(asked).size();
  }
  EXPECT_EQ(later, 3U) << "one each 100 ms";
  rig->arrive(1, ip_frame({.destination = mac_of(1), .source = mac_of(2), .tags = {}}, kV4, kUdp, kLong));
  rig->run(1ms);
  EXPECT_EQ(rig->sent(1).size(), 1U) << "every sender has its own";
}

}  // namespace
}  // namespace hilgate::test
