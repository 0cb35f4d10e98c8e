// SPDX-License-Identifier: Apache-2.0
// What robots' kernels speak to each other, through the real gateway: address resolution, IPv4, IPv6, VLANs, groups,
// fragments, every size up to the MTU.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/netns/gateway_test.h"
#include "tests/netns/numbered_traffic.h"
#include "tests/support/traffic.h"
#include "tests/support/udp_socket.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;
using testing::Optional;

using Protocols = GatewayTest;

constexpr std::uint16_t kProtocolsPort = 7000;

void forget_neighbours(const RunningGateway& gateway) {
  gateway.robot(0).run_ok("ip neigh flush all");
  gateway.robot(1).run_ok("ip neigh flush all");
}

// Frames of every size at the edges come out as they went in.
void expect_sizes_pass(const RunningGateway& gateway, const std::vector<std::size_t>& bodies) {
  const RawSocket red(gateway.robot(0), "eth0");
  const RawSocket blue(gateway.robot(1), "eth0");
  for (const std::size_t body : bodies) {
    const Bytes frame = ethernet({robot_mac(1), robot_mac(0)}, kTrafficEthertype, counting(body));
    red.send(frame);
    const auto arrived = blue.receive(5s);
    ASSERT_TRUE(arrived) << body << " bytes behind the header are lost";
    EXPECT_EQ(*arrived, frame) << body;
  }
}

TEST_F(Protocols, Ipv4AndTagsOfEverySizePassFromArpToFragments) {
  const RunningGateway gateway;
  forget_neighbours(gateway);
  gateway.robot(0).run_ok("ping -c 3 -i 0.2 -W 5 " + NetLab::ipv4(1));
  EXPECT_THAT(gateway.robot(0).run_ok("ip -4 neigh"),
              HasSubstr(NetLab::ipv4(1) + " dev eth0 lladdr " + NetLab::mac(1)));
  {
    const UdpSocket red(gateway.robot(0), "0.0.0.0", kProtocolsPort);
    const UdpSocket blue(gateway.robot(1), "0.0.0.0", kProtocolsPort);
    red.send(NetLab::ipv4(1), kProtocolsPort, counting(8000));
    EXPECT_THAT(blue.receive(5s), Optional(counting(8000))) << "one datagram again";
  }
  gateway.mute();
  expect_sizes_pass(gateway, {0, 1, 2, 45, 46, 47, 63, 64, 65, 1279, 1280, 1499, 1500});
  const RawSocket red(gateway.robot(0), "eth0");
  const RawSocket blue(gateway.robot(1), "eth0");
  for (const std::vector<VlanTag>& tags :
       {std::vector<VlanTag>{{0x8100, 100}}, std::vector<VlanTag>{{0x88A8, 7}, {0x8100, 100}}}) {
    const Bytes frame =
        ethernet({robot_mac(1), robot_mac(0), tags}, 0x0800, ipv4(17, udp(counting(64), kProtocolsPort)));
    red.send(frame);
    EXPECT_THAT(blue.receive(5s), Optional(frame));
  }
}

TEST_F(Protocols, Ipv6PassesFromNeighbourDiscoveryToFragments) {
  const RunningGateway gateway({.ipv6 = true});
  forget_neighbours(gateway);
  gateway.robot(0).run_ok("ping -c 3 -i 0.2 -W 5 " + NetLab::ipv6(1));
  EXPECT_THAT(gateway.robot(0).run_ok("ip -6 neigh"),
              HasSubstr(NetLab::ipv6(1) + " dev eth0 lladdr " + NetLab::mac(1)));
  const UdpSocket red(gateway.robot(0), "::", kProtocolsPort);
  const UdpSocket blue(gateway.robot(1), "::", kProtocolsPort);
  red.join("ff02::4242", "eth0");
  blue.join("ff02::4242", "eth0");
  red.send("ff02::4242", kProtocolsPort, counting(50));
  EXPECT_THAT(blue.receive(5s), Optional(counting(50)));
  red.send(NetLab::ipv6(1), kProtocolsPort, counting(8000));
  EXPECT_THAT(blue.receive(5s), Optional(counting(8000))) << "one datagram again";
}

// Red reaches blue in no way, and green in all.
TEST_F(Protocols, MulticastHasAFatePerLinkAndWithoutAnAirThereIsNoNeighbour) {
  const RunningGateway gateway({.yaml = "netsim: {type: wire}\nlinks: [{from: red, to: blue, loss: 100 %}]\n",
                                .robots = {"red", "blue", "green"}});
  const UdpSocket red(gateway.robot(0), "0.0.0.0", kProtocolsPort);
  const UdpSocket blue(gateway.robot(1), "0.0.0.0", kProtocolsPort);
  const UdpSocket green(gateway.robot(2), "0.0.0.0", kProtocolsPort);
  for (const UdpSocket* socket : {&red, &blue, &green}) {
    socket->join("239.1.2.3", "eth0");
  }
  red.send("239.1.2.3", kProtocolsPort, counting(50));
  EXPECT_THAT(green.receive(5s), Optional(counting(50)));
  EXPECT_FALSE(blue.receive(0ms));
  const std::uint64_t lost = gateway.status().link("red", "blue").dropped("configured_loss");
  EXPECT_GE(lost, 1U);
  forget_neighbours(gateway);
  EXPECT_NE(gateway.robot(0).run("ping -c 1 -W 1 " + NetLab::ipv4(1)).status, 0);
  EXPECT_THAT(gateway.robot(0).run_ok("ip -4 neigh"), Not(HasSubstr(NetLab::mac(1))));
  EXPECT_GT(gateway.status().link("red", "blue").dropped("configured_loss"), lost);
  gateway.robot(0).run_ok("ping -c 1 -W 5 " + NetLab::ipv4(2));
}

TEST_F(Protocols, SubInterfacesOfAVlanReachEachOther) {
  const RunningGateway gateway;
  for (std::size_t n = 0; n < 2; ++n) {
    const Finished made = gateway.robot(n).run(
        fmt::format("ip link add link eth0 name eth0.100 type vlan id 100 && ip link set eth0.100 up && "
                    "ip addr add 10.78.0.{}/24 dev eth0.100",
                    n + 1));
    if (made.output.find("Unknown device type") != std::string::npos) {
      GTEST_SKIP() << "this kernel has no 802.1Q interfaces";
    }
    ASSERT_EQ(made.status, 0) << made.output;
  }
  const RawSocket ear(gateway.robot(1), "eth0");
  gateway.robot(0).run_ok("ping -c 2 -i 0.2 -W 5 10.78.0.2");
  const auto first = ear.receive(1s);
  ASSERT_TRUE(first);
  EXPECT_EQ(get16(*first, 12), 0x8100);
  EXPECT_EQ(get16(*first, 14), 100);
}

TEST_F(Protocols, JumboFramesPassUpToTheFrameLimit) {
  const RunningGateway gateway({.yaml = "memory: {frames: 8192}\nnetsim: {type: wire}\n", .veth = {.mtu = 9600}});
  gateway.robot(0).run_ok("ping -c 2 -i 0.2 -W 5 -M do -s 8972 " + NetLab::ipv4(1));
  gateway.mute();
  // At the edges of one, two, ... buffers of 2048 bytes, headroom and header included, and at the limit.
  expect_sizes_pass(gateway, {1500, 1501, 1700, 1778, 1792, 2034, 2035, 4068, 4082, 8192, 8999, 9000});
  const GatewayStatus before = gateway.status();
  RawSocket(gateway.robot(0), "eth0")
      .send(ethernet({robot_mac(1), robot_mac(0)}, kTrafficEthertype, counting(9018 - 14 + 1)));
  const GatewayStatus after = gateway.settled(before.totals("frames_captured") + 1);
  EXPECT_EQ(after.dropped("oversize"), before.dropped("oversize") + 1);
  EXPECT_EQ(after.totals("dropped_total"), before.totals("dropped_total") + 1);
  EXPECT_EQ(after.totals("out"), before.totals("out"));
  expect_sizes_pass(gateway, {100});
}

}  // namespace
}  // namespace hilgate::test
