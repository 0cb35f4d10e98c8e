// SPDX-License-Identifier: Apache-2.0
// A gateway that starts before its cables and interfaces are there.
#include "tests/fault/port_fixture.h"

namespace hilgate::test {
namespace {

TEST_F(PortFault, AbsentAtTheStart) {
  start("ip link delete hg-green");
  EXPECT_THAT(gateway_->status().port_states, testing::ElementsAre("up", "up", "absent"));
  EXPECT_EQ(
      said("port green: hg-green is not usable, its robots are unplugged until it is: there is no such interface"), 1U);
  while_others_lose_nothing([] {});
  std::chrono::nanoseconds taken{};
  while_others_lose_nothing([&] {
    taken = time_of([&] {
      plug_green_in();
      when_green_is("up");
    });
  });
  expect_frames_to_green(100, true);
  EXPECT_EQ(said("port green: hg-green, driver af_xdp"), 1U);
  EXPECT_EQ(said("there is no such interface"), 1U) << "once";
  record({"A port's interface is not there at the start, and appears later",
          "The run starts, says so once, and takes it when it appears; other pairs lose nothing",
          fmt::format("made, set up and taken within {}", text_of(taken))});
}

TEST_F(PortFault, NothingReachesARobotWithoutInterface) {
  start("ip link delete hg-green");
  const RawSocket red(gateway_->robot(0), "eth0");
  for (int i = 0; i < 50; ++i) {
    red.send(ethernet({robot_mac(kGreen)}, 0x9999, Bytes(46)));
  }
  const GatewayStatus status = gateway_->settled(50);
  EXPECT_EQ(status.dropped("unplugged"), 50U);
  EXPECT_EQ(status.link("red", "green").dropped("unplugged"), 50U);
  EXPECT_TRUE(status.balanced);
  record({"Frames for a robot whose port has no interface", "Dropped as unplugged, in totals and on the link",
          "50 of 50 dropped"});
}

TEST_F(PortFault, DownAtTheStart) {
  start("ip link set hg-green down");
  when_green_is("up");
  expect_frames_to_green(100, true);
  EXPECT_EQ(said("is not usable"), 0U);
  record({"A port's interface is down at the start", "The gateway attaches its program, and then sets it up",
          "100 of 100 frames arrive"});
}

TEST_F(PortFault, CableOutAtTheStart) {
  start("ip netns exec $(ip netns list | grep -o 'hgt-e2e-green[^ ]*' | head -n 1) ip link set eth0 down");
  when_green_is("no carrier");
  EXPECT_EQ(said("no carrier: the cable or its other end is not there, or is down"), 1U);
  while_others_lose_nothing([&] { green().run_ok("ip link set eth0 up"); });
  when_green_is("up");
  expect_frames_to_green(100, true);
  record({"A robot's cable is out at the start", "Said once; the robot is plugged in when the cable is",
          "100 of 100 frames arrive afterwards"});
}

}  // namespace
}  // namespace hilgate::test
