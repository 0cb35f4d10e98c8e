// SPDX-License-Identifier: Apache-2.0
// A port as a trunk with a VLAN per robot, and a robot on a port of its own: real kernels behind a switch, and frames
// whose tags are looked at.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/netns/gateway_test.h"
#include "tests/netns/running_gateway.h"
#include "tests/support/raw_socket.h"
#include "tests/support/vlan_switch.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr std::size_t kTrunkBase = 1;  // of the lab; red and blue have the addresses of robots 10 and 11
constexpr std::size_t kTrunkRed = 10;
constexpr std::size_t kTrunkBlue = 11;
constexpr std::uint16_t kRedVlan = 10;
constexpr std::uint16_t kBlueVlan = 20;

std::string robot_of_trunk(const std::string& name, std::size_t n, std::uint16_t vlan) {
  return fmt::format("  {}: {{port: t, vlan: {}, mac: \"{}\", ip: [{}, \"{}\"]}}\n", name, vlan, NetLab::mac(n),
                     NetLab::ipv4(n), NetLab::ipv6(n));
}

GatewaySetup trunk_setup(const std::string& yaml) {
  return {.yaml = "netsim: {type: wire}\n" + yaml,
          .robots = {"trunk", "base"},
          .wiring = "ports: {t: {interface: hg-trunk}, b: {interface: hg-base}}\nrobots:\n" +
                    robot_of_trunk("red", kTrunkRed, kRedVlan) + robot_of_trunk("blue", kTrunkBlue, kBlueVlan) +
                    fmt::format("  base: {{port: b, mac: \"{}\", ip: [{}, \"{}\"]}}\n", NetLab::mac(kTrunkBase),
                                NetLab::ipv4(kTrunkBase), NetLab::ipv6(kTrunkBase)),
          .ipv6 = true};
}

/// A frame of one robot to another, or to all, with these tags.
Bytes frame_between(std::size_t from, MacAddress to, const std::vector<VlanTag>& tags) {
  return ethernet({.destination = to, .source = robot_mac(static_cast<unsigned>(from)), .tags = tags}, 0x88B5,
                  counting(100));
}

/// The next frame of the test's own kind; the kernels' others are not looked at.
Bytes next_of_ours(const RawSocket& socket) {
  while (auto frame = socket.receive(5s)) {
    std::size_t type = 12;
    for (; type + 6 <= frame->size() && get16(*frame, type) == 0x8100; type += 4) {
    }
    if (get16(*frame, type) == 0x88B5) {
      return *frame;
    }
  }
  return {};
}

using TrunkTest = GatewayTest;

TEST_F(TrunkTest, RobotsOfATrunkPingEachOtherAndOthersThroughTheAir) {
  const RunningGateway gateway(trunk_setup("links: [{from: red, to: blue, delay: 10ms}]\n"));
  const NetNs& where = gateway.robot(0);
  where.run_ok("ip addr flush dev eth0");
  const NetNs red("trunk-red");
  const NetNs blue("trunk-blue");
  VethPair({&where, "to-red"},
           {&red, "eth0", NetLab::mac(kTrunkRed), {NetLab::ipv4(kTrunkRed) + "/24", NetLab::ipv6(kTrunkRed) + "/64"}});
  VethPair(
      {&where, "to-blue"},
      {&blue, "eth0", NetLab::mac(kTrunkBlue), {NetLab::ipv4(kTrunkBlue) + "/24", NetLab::ipv6(kTrunkBlue) + "/64"}});
  const VlanSwitch access_switch(where, "eth0", {{"to-red", kRedVlan}, {"to-blue", kBlueVlan}});
  for (const std::string& to :
       {NetLab::ipv4(kTrunkBlue), NetLab::ipv6(kTrunkBlue), NetLab::ipv4(kTrunkBase), NetLab::ipv6(kTrunkBase)}) {
    EXPECT_THAT(red.run("ping -c 3 -i 0.1 -W 5 " + to).output, HasSubstr(" 3 received")) << to;
  }
  EXPECT_THAT(gateway.robot(kTrunkBase).run("ping -c 3 -i 0.1 -W 5 -s 1472 " + NetLab::ipv4(kTrunkBlue)).output,
              HasSubstr(" 3 received"));
  const GatewayStatus status = gateway.settled(0);
  EXPECT_GE(status.link("red", "blue").counts("released"), 6U);
  EXPECT_GE(status.link("base", "blue").counts("released"), 3U);
  EXPECT_TRUE(status.balanced);
  EXPECT_EQ(status.dropped("spoofed_sender"), 0U);
}

class TaggedFrames : public TrunkTest {
 protected:
  void SetUp() override {
    TrunkTest::SetUp();
    if (!IsSkipped()) {
      gateway_.emplace(trunk_setup(""));
      trunk_.emplace(gateway_->robot(0), "eth0");
      base_.emplace(gateway_->robot(kTrunkBase), "eth0");
    }
  }
  std::optional<RunningGateway> gateway_;
  std::optional<RawSocket> trunk_, base_;
};

TEST_F(TaggedFrames, GetTheReceiversTagAndKeepTheirPriority) {
  trunk_->send(frame_between(kTrunkRed, robot_mac(kTrunkBlue), {{.control = kRedVlan}}));
  EXPECT_EQ(next_of_ours(*trunk_), frame_between(kTrunkRed, robot_mac(kTrunkBlue), {{.control = kBlueVlan}}));
  trunk_->send(frame_between(kTrunkRed, robot_mac(kTrunkBase), {{.control = kRedVlan}}));
  EXPECT_EQ(next_of_ours(*base_), frame_between(kTrunkRed, robot_mac(kTrunkBase), {}));
  base_->send(frame_between(kTrunkBase, robot_mac(kTrunkBlue), {}));
  EXPECT_EQ(next_of_ours(*trunk_), frame_between(kTrunkBase, robot_mac(kTrunkBlue), {{.control = kBlueVlan}}));
  constexpr std::uint16_t kPriority = 5U << 13U;
  trunk_->send(frame_between(kTrunkRed, robot_mac(kTrunkBlue), {{.control = kPriority | kRedVlan}}));
  EXPECT_EQ(next_of_ours(*trunk_),
            frame_between(kTrunkRed, robot_mac(kTrunkBlue), {{.control = kPriority | kBlueVlan}}));
  trunk_->send(frame_between(kTrunkRed, robot_mac(kTrunkBase), {{.control = kPriority | kRedVlan}}));
  EXPECT_EQ(next_of_ours(*base_), frame_between(kTrunkRed, robot_mac(kTrunkBase), {{.control = kPriority}}));
  base_->send(frame_between(kTrunkBase, robot_mac(kTrunkRed), {{.control = kPriority}}));
  EXPECT_EQ(next_of_ours(*trunk_),
            frame_between(kTrunkBase, robot_mac(kTrunkRed), {{.control = kPriority | kRedVlan}}));
  trunk_->send(frame_between(kTrunkRed, robot_mac(kTrunkBlue), {{.control = kRedVlan}, {.control = 77}}));
  EXPECT_EQ(next_of_ours(*trunk_),
            frame_between(kTrunkRed, robot_mac(kTrunkBlue), {{.control = kBlueVlan}, {.control = 77}}));
}

TEST_F(TaggedFrames, ReachAllWithTheTagOfEachWhenTheyAreForAll) {
  trunk_->send(frame_between(kTrunkRed, kBroadcast, {{.control = kRedVlan}}));
  EXPECT_EQ(next_of_ours(*trunk_), frame_between(kTrunkRed, kBroadcast, {{.control = kBlueVlan}}));
  EXPECT_EQ(next_of_ours(*base_), frame_between(kTrunkRed, kBroadcast, {}));
  base_->send(frame_between(kTrunkBase, kBroadcast, {}));
  std::vector<Bytes> both = {next_of_ours(*trunk_), next_of_ours(*trunk_)};
  EXPECT_THAT(both, testing::UnorderedElementsAre(frame_between(kTrunkBase, kBroadcast, {{.control = kRedVlan}}),
                                                  frame_between(kTrunkBase, kBroadcast, {{.control = kBlueVlan}})));
}

TEST_F(TaggedFrames, UnassignedAreDroppedAndCounted) {
  trunk_->send(frame_between(kTrunkRed, robot_mac(kTrunkBlue), {}));
  trunk_->send(frame_between(kTrunkRed, robot_mac(kTrunkBlue), {{.control = 30}}));
  trunk_->send(frame_between(kTrunkRed, robot_mac(kTrunkBlue), {{.control = 0}}));
  trunk_->send(frame_between(kTrunkRed, robot_mac(kTrunkBlue), {{.type = 0x88A8, .control = kRedVlan}}));
  trunk_->send(frame_between(kTrunkRed, robot_mac(kTrunkBase), {{.control = kBlueVlan}}));
  trunk_->send(frame_between(77, robot_mac(kTrunkBase), {{.control = kBlueVlan}}));
  const GatewayStatus status = gateway_->status_when([](const GatewayStatus& now) {
    return now.dropped("unknown_vlan") >= 4 && now.dropped("spoofed_sender") >= 1 && now.dropped("unknown_sender") >= 1;
  });
  EXPECT_GE(status.dropped("unknown_vlan"), 4U);
  EXPECT_EQ(status.dropped("spoofed_sender"), 1U);
  EXPECT_EQ(status.dropped("unknown_sender"), 1U);
  EXPECT_TRUE(gateway_->settled(0).balanced);
}

TEST_F(TaggedFrames, AreNotJoinedInTheKernel) {
  const auto wire = gateway_->lab().gateway().start({hilgate_program(), "wire", "on", gateway_->run()});
  EXPECT_EQ(wire->wait(10s), 1);
  EXPECT_THAT(wire->output(), HasSubstr("the kernel changes no tags"));
}

}  // namespace
}  // namespace hilgate::test
