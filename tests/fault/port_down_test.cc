// SPDX-License-Identifier: Apache-2.0
// Cables that are pulled, and interfaces that are set down, under a running gateway.
#include "tests/fault/port_fixture.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

TEST_F(PortFault, DownAndUpSendsNoStaleBurst) {
  start();
  const RawSocket at_green(green(), "eth0");
  while_others_lose_nothing([&] {
    link("set hg-green down");
    when_green_is("down");
  });
  expect_frames_to_green(500, false);
  while_others_lose_nothing([&] {
    link("set hg-green up");
    when_green_is("up");
  });
  EXPECT_FALSE(at_green.receive(200ms)) << "a frame from before";
  expect_frames_to_green(100, true);
  EXPECT_EQ(said("the interface is down"), 1U);
  record({"An interface is set down for a while and up again",
          "Frames to it are dropped as unplugged, none leaves later",
          "500 of 500 dropped as unplugged, 0 stale frames"});
}

TEST_F(PortFault, FramesHeldWhenItGoesDownAreDropped) {
  start();
  const RawSocket at_green(green(), "eth0");
  const RawSocket red(gateway_->robot(0), "eth0");
  std::jthread sender([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      red.send(ethernet({robot_mac(kGreen)}, 0x9999, Bytes(46)));
      std::this_thread::sleep_for(20us);
    }
  });
  link("set hg-green down");
  when_green_is("down");
  sender.request_stop();
  sender.join();
  while (at_green.receive(20ms)) {
  }
  link("set hg-green up");
  when_green_is("up");
  EXPECT_FALSE(at_green.receive(200ms)) << "a frame from before";
  EXPECT_TRUE(gateway_->status().balanced);
  record({"An interface goes down while frames are on their way to it", "None leaves when it is up again",
          "0 stale frames"});
}

TEST_F(PortFault, CablePulledAndPluggedIn) {
  start();
  while_others_lose_nothing([&] {
    green().run_ok("ip link set eth0 down");
    when_green_is("no carrier");
  });
  const RawSocket red(gateway_->robot(0), "eth0");
  const std::uint64_t before = gateway_->status().totals("frames_captured");
  for (int i = 0; i < 50; ++i) {
    red.send(ethernet({robot_mac(kGreen)}, 0x9999, Bytes(46)));
  }
  EXPECT_EQ(gateway_->settled(before + 50).dropped("unplugged"), 50U);
  while_others_lose_nothing([&] {
    green().run_ok("ip link set eth0 up");
    when_green_is("up");
  });
  expect_frames_to_green(100, true);
  EXPECT_EQ(said("no carrier"), 1U);
  record({"A robot's cable is pulled and plugged in again",
          "Its frames are dropped as unplugged meanwhile; other pairs lose nothing", "50 of 50 dropped as unplugged"});
}

}  // namespace
}  // namespace hilgate::test
