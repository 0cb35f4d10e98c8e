// SPDX-License-Identifier: Apache-2.0
#include "path/answers/address_resolution.h"

#include <gtest/gtest.h>

#include "frame/headers.h"
#include "tests/support/gateway_rig.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr Layer2 kAsking{.destination = kBroadcast, .source = mac_of(1), .tags = {}};

Bytes address_part(const Bytes& bytes, std::size_t at, std::size_t count) {
  const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(at);
  return {first, first + static_cast<std::ptrdiff_t>(count)};
}
Bytes wire(MacAddress mac) {
  Bytes bytes;
  for (int shift = 40; shift >= 0; shift -= 8) {
    bytes.push_back(static_cast<std::byte>(mac.value() >> shift));
  }
  return bytes;
}
Bytes solicitation(const std::string& source, const std::string& target) {
  Bytes content(24, 0);
  content[0] = std::byte{135};
  const Bytes address = address_part(ip({.source = target, .destination = target}, 58, Bytes(8, 0)), 8, 16);
  std::copy(address.begin(), address.end(), content.begin() + 8);
  Bytes frame = ip_frame({.destination = MacAddress{0x3333'FF00'0002}, .source = mac_of(1), .tags = {}},
                         {.source = source, .destination = "ff02::1:ff00:2"}, 58, content);
  frame[14 + 7] = std::byte{255};
  return frame;
}

// Three robots of which none reaches another.
class NeighbourAnswersTest : public testing::Test {
 protected:
  void start(PathSettings settings = plain_settings(3)) {
    settings.answers_neighbours = true;
    rig = std::make_unique<GatewayRig>(settings);
    LinkState none;
    none.reachable = false;
    for (auto& port : rig->ports) {
      port->keep_bytes = true;
    }
    rig->publish(none);
    rig->iterate();
  }
  std::vector<Bytes> answers(const Bytes& question) {
    const std::size_t before = rig->sent(0).size();
    rig->arrive(0, question);
    rig->run(10us);
    std::vector<Bytes> heard;
    for (std::size_t i = before; i < rig->sent(0).size(); ++i) {
      heard.push_back(rig->sent(0)[i].bytes);
    }
    return heard;
  }
  std::unique_ptr<GatewayRig> rig;
};

TEST_F(NeighbourAnswersTest, ArpOutOfRangeIsAnsweredForTheRobotThatHasTheAddress) {
  start();
  const auto heard = answers(arp_request(kAsking, 1, 3));
  ASSERT_EQ(heard.size(), 1U);
  const Bytes& reply = heard.front();
  EXPECT_EQ(reply.size(), 60U);
  EXPECT_EQ(address_part(reply, 0, 6), wire(mac_of(1)));
  EXPECT_EQ(address_part(reply, 6, 6), wire(mac_of(3)));
  EXPECT_EQ(address_part(reply, 12, 10), (Bytes{8, 6, 0, 1, 8, 0, 6, 4, 0, 2}));
  EXPECT_EQ(address_part(reply, 22, 6), wire(mac_of(3)));
  EXPECT_EQ(address_part(reply, 28, 4), (Bytes{10, 77, 0, 3}));
  EXPECT_EQ(address_part(reply, 32, 6), wire(mac_of(1)));
  EXPECT_EQ(address_part(reply, 38, 4), (Bytes{10, 77, 0, 1}));
  EXPECT_EQ(rig->dropped(DropReason::kUnreachable), 2U) << "the question goes to the air as ever";
  EXPECT_EQ(rig->path->totals().injected, 1U);
}

TEST_F(NeighbourAnswersTest, SolicitationsAreAnsweredWithRightChecksums) {
  start();
  const auto heard = answers(solicitation("fd77::1", "fd77::2"));
  ASSERT_EQ(heard.size(), 1U);
  const Bytes& reply = heard.front();
  ASSERT_EQ(reply.size(), 14U + 40 + 32);
  EXPECT_EQ(address_part(reply, 0, 6), wire(mac_of(1)));
  EXPECT_EQ(address_part(reply, 6, 6), wire(mac_of(2)));
  const auto ethernet = parse_ethernet(reply);
  const auto packet = parse_ip(reply, *ethernet);
  ASSERT_TRUE(packet);
  EXPECT_EQ(packet->source, ipv6_of(2));
  EXPECT_EQ(packet->destination, ipv6_of(1));
  EXPECT_EQ(address_part(reply, 54, 1), Bytes{136});
  EXPECT_EQ(address_part(reply, 58, 1), Bytes{0x60}) << "solicited, override";
  EXPECT_EQ(address_part(reply, 78, 8), (Bytes{2, 1, 2, 0x68, 0x67, 0, 0, 2}));
  EXPECT_TRUE(transport_checksum_right(reply));
}

TEST_F(NeighbourAnswersTest, NoAnswerForUnknownOwnAndProbedAddresses) {
  start();
  EXPECT_TRUE(answers(arp_request(kAsking, 1, 9)).empty()) << "no robot's address";
  EXPECT_TRUE(answers(arp_request(kAsking, 1, 1)).empty()) << "an announcement";
  Bytes probe = arp_request(kAsking, 1, 2);
  std::fill_n(probe.begin() + 28, 4, std::byte{0});
  EXPECT_TRUE(answers(probe).empty()) << "RFC 5227: who asks has no address yet";
  EXPECT_TRUE(answers(solicitation("::", "fd77::2")).empty()) << "duplicate address detection";
  Bytes reply = arp_request(kAsking, 1, 2);
  reply[21] = std::byte{2};
  EXPECT_TRUE(answers(reply).empty());
  Bytes far = solicitation("fd77::1", "fd77::2");
  far[14 + 7] = std::byte{64};
  EXPECT_TRUE(answers(far).empty()) << "RFC 4861: from behind a router";
  for (std::size_t size = 14; size < 42; ++size) {
    const Bytes whole = arp_request(kAsking, 1, 2);
    EXPECT_TRUE(answers(address_part(whole, 0, size)).empty()) << size;
  }
}

TEST_F(NeighbourAnswersTest, TagsStayAndUnicastProbesAreAnswered) {
  start();
  const auto tagged = answers(arp_request({.destination = kBroadcast, .source = mac_of(1), .tags = {VlanTag{}}}, 1, 2));
  ASSERT_EQ(tagged.size(), 1U);
  EXPECT_EQ(address_part(tagged.front(), 12, 6), (Bytes{0x81, 0, 0, 1, 8, 6}));
}

TEST_F(NeighbourAnswersTest, RobotWithoutAConfiguredAddressIsFoundByItsLastFrame) {
  PathSettings settings = plain_settings(3);
  settings.robots[1].macs.clear();
  start(settings);
  EXPECT_TRUE(answers(arp_request(kAsking, 1, 2)).empty()) << "it has not sent yet";
  rig->arrive(1, arp_request({.destination = kBroadcast, .source = mac_of(7), .tags = {}}, 7, 9));
  rig->run(10us);
  const auto heard = answers(arp_request(kAsking, 1, 2));
  ASSERT_EQ(heard.size(), 1U);
  EXPECT_EQ(address_part(heard.front(), 22, 6), wire(mac_of(7)));
  rig->change(rig->settings);
  EXPECT_EQ(answers(arp_request(kAsking, 1, 2)).size(), 1U) << "after a change, too";
}

TEST_F(NeighbourAnswersTest, WithoutTheSettingTheAirAlone) {
  start();
  PathSettings off = rig->settings;
  off.answers_neighbours = false;
  rig->change(off);
  EXPECT_TRUE(answers(arp_request(kAsking, 1, 2)).empty());
}

}  // namespace
}  // namespace hilgate::test
