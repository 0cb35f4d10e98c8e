// SPDX-License-Identifier: Apache-2.0
// Ports whose robots have a VLAN each: tags off on the way in and on again on the way out, on the path in memory.
#include <gtest/gtest.h>

#include "tests/support/gateway_rig.h"

namespace hilgate::test {
namespace {

// Robots 0 and 1 on VLANs 10 and 20 of port 0, 2 on a port of its own.
PathSettings one_trunk() {
  PathSettings settings = plain_settings(3);
  settings.robots[1].port = PortSlot{0};
  settings.robots[2].port = PortSlot{1};
  settings.robots[0].vlan = 10;
  settings.robots[1].vlan = 20;
  return settings;
}

Bytes from_0(MacAddress to, const std::vector<VlanTag>& tags) {
  return ethernet({.destination = to, .source = mac_of(1), .tags = tags}, 0x88B5, counting(60));
}

class TrunkPath : public testing::Test {
 protected:
  TrunkPath() {
    for (auto& port : rig_.ports) {
      port->keep_bytes = true;
    }
  }
  void arrive(const Bytes& frame, std::uint32_t port = 0) {
    rig_.arrive(port, frame);
    rig_.iterate();
  }
  [[nodiscard]] std::uint64_t balance() const {
    const PathTotals& totals = rig_.path->totals();
    std::uint64_t dropped = 0;
    for (const std::uint64_t count : totals.dropped) {
      dropped += count;
    }
    return totals.deliveries - totals.released - dropped;
  }
  GatewayRig rig_{one_trunk()};
};

TEST_F(TrunkPath, ChangesTheTagBetweenRobotsOfTheTrunk) {
  arrive(from_0(mac_of(2), {{.control = 10}}));
  ASSERT_EQ(rig_.sent(0).size(), 1U);
  EXPECT_EQ(rig_.sent(0)[0].bytes, from_0(mac_of(2), {{.control = 20}}));
}

TEST_F(TrunkPath, KeepsThePriorityAlsoWhereThereIsNoVlan) {
  constexpr std::uint16_t kPriority = 0xB000;  // 5, drop eligible
  arrive(from_0(mac_of(3), {{.control = kPriority | 10}}));
  ASSERT_EQ(rig_.sent(1).size(), 1U);
  EXPECT_EQ(rig_.sent(1)[0].bytes, from_0(mac_of(3), {{.control = kPriority}}));
  arrive(from_0(mac_of(2), {{.control = kPriority | 10}}));
  ASSERT_EQ(rig_.sent(0).size(), 1U);
  EXPECT_EQ(rig_.sent(0)[0].bytes, from_0(mac_of(2), {{.control = kPriority | 20}}));
}

TEST_F(TrunkPath, GivesEachReceiverOfAGroupItsOwnTag) {
  arrive(ethernet({.destination = kBroadcast, .source = mac_of(3), .tags = {}}, 0x88B5, counting(60)), 1);
  ASSERT_EQ(rig_.sent(0).size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto vlan = static_cast<std::uint16_t>(10 * (i + 1));
    EXPECT_EQ(
        rig_.sent(0)[i].bytes,
        ethernet({.destination = kBroadcast, .source = mac_of(3), .tags = {{.control = vlan}}}, 0x88B5, counting(60)));
  }
}

TEST_F(TrunkPath, RefusesUnassignedAndForeignFrames) {
  arrive(from_0(mac_of(3), {}));
  arrive(from_0(mac_of(3), {{.control = 30}}));
  arrive(from_0(mac_of(3), {{.control = 0x2000}}));
  arrive(from_0(mac_of(3), {{.type = 0x88A8, .control = 10}}));
  arrive(from_0(mac_of(3), {{.control = 4095}}));
  arrive(from_0(mac_of(3), {{.control = 0}, {.control = 10}}));
  arrive(from_0(mac_of(3), {{.control = 1}, {.control = 10}}));
  EXPECT_EQ(rig_.dropped(DropReason::kUnknownVlan), 7U);
  arrive(from_0(mac_of(3), {{.control = 20}}));
  arrive(ethernet({.destination = mac_of(3), .source = mac_of(2), .tags = {{.control = 10}}}, 0x88B5, counting(60)));
  EXPECT_EQ(rig_.dropped(DropReason::kSpoofedSender), 2U);
  arrive(Bytes(10, 1));
  EXPECT_EQ(rig_.dropped(DropReason::kRunt), 1U);
  EXPECT_TRUE(rig_.sent(1).empty());
  EXPECT_EQ(balance(), 0U);
}

TEST_F(TrunkPath, TagsBehindItsOwnArePayload) {
  for (std::size_t inner = 0; inner < 6; ++inner) {
    const std::vector<VlanTag> of_another(inner, VlanTag{.control = 20});
    std::vector<VlanTag> tags = of_another;
    tags.insert(tags.begin(), VlanTag{.control = 10});
    arrive(from_0(mac_of(3), tags));
    ASSERT_EQ(rig_.sent(1).size(), inner + 1);
    EXPECT_EQ(rig_.sent(1).back().bytes, from_0(mac_of(3), of_another));
  }
  EXPECT_TRUE(rig_.sent(0).empty()) << "nothing of it is the other's";
}

TEST_F(TrunkPath, ARememberedFlowIsStillCheckedForItsVlan) {
  for (int i = 0; i < 3; ++i) {
    arrive(from_0(mac_of(3), {{.control = 10}}));
  }
  arrive(from_0(mac_of(3), {{.control = 20}}));
  EXPECT_EQ(rig_.sent(1).size(), 3U);
  EXPECT_EQ(rig_.dropped(DropReason::kSpoofedSender), 1U);
}

TEST_F(TrunkPath, FramesHeldForARemovedRobotLeaveWithItsTag) {
  PathSettings slow = one_trunk();
  slow.air.rules[2 * 3 + 1].extra_delay = Nanoseconds{5'000};  // 2 -> 1
  rig_.change(slow);
  arrive(ethernet({.destination = mac_of(2), .source = mac_of(3), .tags = {}}, 0x88B5, counting(60)), 1);
  PathSettings gone = slow;
  gone.robots[1] = {.port = PortSlot{0}, .macs = {}, .ips = {}, .present = false};
  rig_.change(gone);
  rig_.run(Nanoseconds{6'000});
  ASSERT_EQ(rig_.sent(0).size(), 1U);
  EXPECT_EQ(get16(rig_.sent(0)[0].bytes, 14), 20U);
}

}  // namespace
}  // namespace hilgate::test
