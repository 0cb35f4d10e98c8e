// SPDX-License-Identifier: Apache-2.0
// A port as a trunk with a VLAN per robot, and a robot on a port of its own: real kernels behind a switch.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/netns/gateway_test.h"
#include "tests/netns/running_gateway.h"
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

GatewaySetup trunk_setup() {
  return {.yaml = "netsim: {type: wire}\nlinks: [{from: red, to: blue, delay: 10ms}]\n",
          .robots = {"trunk", "base"},
          .wiring = "ports: {t: {interface: hg-trunk}, b: {interface: hg-base}}\nrobots:\n" +
                    robot_of_trunk("red", kTrunkRed, kRedVlan) + robot_of_trunk("blue", kTrunkBlue, kBlueVlan) +
                    fmt::format("  base: {{port: b, mac: \"{}\", ip: [{}, \"{}\"]}}\n", NetLab::mac(kTrunkBase),
                                NetLab::ipv4(kTrunkBase), NetLab::ipv6(kTrunkBase)),
          .ipv6 = true};
}

using TrunkTest = GatewayTest;

TEST_F(TrunkTest, RobotsOfATrunkPingEachOtherAndOthersThroughTheAir) {
  const RunningGateway gateway(trunk_setup());
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
  const auto wire = gateway.lab().gateway().start({hilgate_program(), "wire", "on", gateway.run()});
  EXPECT_EQ(wire->wait(10s), 1);
  EXPECT_THAT(wire->output(), HasSubstr("the kernel changes no tags"));
}

}  // namespace
}  // namespace hilgate::test
