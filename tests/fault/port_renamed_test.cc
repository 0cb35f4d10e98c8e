// SPDX-License-Identifier: Apache-2.0
// Interfaces that get another name, MAC address or MTU under a running gateway.
#include "tests/fault/port_fixture.h"

namespace hilgate::test {
namespace {

TEST_F(PortFault, AnotherMtuMacAddressOrName) {
  start();
  while_others_lose_nothing([&] {
    link("set hg-green mtu 1400");
    gateway_->status_when([&](const GatewayStatus&) { return said("the MTU of hg-green is now 1400 B") == 1; });
    link("set hg-green address 02:68:67:ee:00:03");
  });
  EXPECT_EQ(said("the MTU of hg-green is now 1400 B"), 1U);
  when_green_is("up");
  expect_frames_to_green(100, true);
  record({"A port's interface gets another MTU and another MAC address", "The port stays, and reports the MTU once",
          "100 of 100 frames arrive; 0 of 3000 of the other pair lost"});

  while_others_lose_nothing([&] {
    link("set hg-green down && ip link set hg-green name hg-other && ip link set hg-other up");
    when_green_is("absent");
  });
  EXPECT_THAT(host().run_ok("ip link show hg-other"), testing::HasSubstr("xdp")) << "it stays closed";
  while_others_lose_nothing([&] {
    link("set hg-other down && ip link set hg-other name hg-green && ip link set hg-green up");
    when_green_is("up");
  });
  expect_frames_to_green(100, true);
  record({"A port's interface gets another name, and the old one back",
          "It is no port meanwhile and stays closed; it is taken again", "100 of 100 frames arrive afterwards"});

  link("set hg-green down && ip link set hg-green name hg-other");
  when_green_is("absent");
  green().run_ok("ip link set eth0 down && ip link set eth0 name old0");
  plug_green_in();
  when_green_is("up");
  EXPECT_THAT(host().run_ok("ip link show hg-other"), testing::Not(testing::HasSubstr("xdp"))) << "no port any more";
  expect_frames_to_green(100, true);
  record({"Another interface gets the name of a port's", "It is the port then; the old one is left without a program",
          "100 of 100 frames arrive"});
}

}  // namespace
}  // namespace hilgate::test
