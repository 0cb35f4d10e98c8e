// SPDX-License-Identifier: Apache-2.0
// Cables that are pulled, and interfaces that are set down, under a running gateway.
#include "tests/fault/port_fixture.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr std::uint16_t kStale = 0x9999;
constexpr std::uint16_t kFresh = 0x9998;

// What comes first is what red sends now.
void expect_no_stale_frame(const RunningGateway& gateway, const RawSocket& at_green) {
  const Bytes fresh = ethernet({robot_mac(2)}, kFresh, Bytes(46));
  RawSocket(gateway.robot(0), "eth0").send(fresh);
  EXPECT_EQ(at_green.receive(5s), fresh) << "a frame from before";
}

TEST_F(PortFault, FramesForAPortThatIsDownLeaveNeverAndNotLater) {
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
  expect_no_stale_frame(*gateway_, at_green);
  expect_frames_to_green(100, true);
  EXPECT_EQ(said("the interface is down"), 1U);
  record({"An interface is set down for a while and up again",
          "Frames to it are dropped as unplugged, none leaves later",
          "500 of 500 dropped as unplugged, 0 stale frames"});

  const RawSocket red(gateway_->robot(0), "eth0");
  std::jthread flood([&](const std::stop_token& stop) {
    constexpr auto kPace = 20us;
    while (!stop.stop_requested()) {
      red.send(ethernet({robot_mac(kGreen)}, kStale, Bytes(46)));
      std::this_thread::sleep_for(kPace);
    }
  });
  link("set hg-green down");
  when_green_is("down");
  flood.request_stop();
  flood.join();
  while (at_green.receive(20ms)) {  // what had left before
  }
  link("set hg-green up");
  when_green_is("up");
  expect_no_stale_frame(*gateway_, at_green);
  EXPECT_TRUE(gateway_->status().balanced);
  record({"An interface goes down while frames are on their way to it", "None leaves when it is up again",
          "0 stale frames"});

  while_others_lose_nothing([&] {
    green().run_ok("ip link set eth0 down");
    when_green_is("no carrier");
  });
  const GatewayStatus pulled = gateway_->status();
  for (int i = 0; i < 50; ++i) {
    red.send(ethernet({robot_mac(kGreen)}, kStale, Bytes(46)));
  }
  const GatewayStatus sent = gateway_->settled(pulled.totals("frames_captured") + 50);
  EXPECT_EQ(sent.dropped("unplugged") - pulled.dropped("unplugged"), 50U);
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
