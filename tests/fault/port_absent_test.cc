// SPDX-License-Identifier: Apache-2.0
// A gateway that starts before its cables and interfaces are there.
#include <csignal>

#include "tests/fault/port_fixture.h"
#include "tests/support/udp_socket.h"

namespace hilgate::test {
namespace {

TEST_F(PortFault, AbsentAtTheStart) {
  start("ip link delete hg-green");
  EXPECT_THAT(gateway_->status().port_states, testing::ElementsAre("up", "up", "absent"));
  EXPECT_EQ(
      said("port green: hg-green is not usable, its robots are unplugged until it is: there is no such interface"), 1U);
  while_others_lose_nothing([] {});
  expect_frames_to_green(50, false);
  EXPECT_EQ(gateway_->status().link("red", "green").dropped("unplugged"), 50U);
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
  record({"A port's interface is absent at the start, and appears later",
          "The run starts, reports it once, and opens it when it appears; other pairs lose nothing",
          fmt::format("made, set up and taken within {}", text_of(taken))});
  record({"Frames for a robot whose port has no interface", "Dropped as unplugged, in totals and on the link",
          "50 of 50 dropped"});
}

// A cable to the host with an address at its end, and one of a hundred datagrams that gets through.
bool reaches_host(const NetNs& robot, const NetNs& host, const std::string& interface, const std::string& net) {
  host.run_ok(fmt::format("ip link add {0} address 02:00:00:00:01:01 type veth peer name {0} netns {1}", interface,
                          robot.name()));
  robot.run_ok(
      fmt::format("ip addr add {1}.1/24 dev {0} && ip link set {0} up && "
                  "ip neigh replace {1}.254 dev {0} lladdr 02:00:00:00:01:01",
                  interface, net));
  host.run_ok(fmt::format("ip addr add {1}.254/24 dev {0} && ip link set {0} up", interface, net));
  robot.run_ok(
      fmt::format("for i in $(seq 400); do [ $(cat /sys/class/net/{0}/operstate) = up ] && exit 0; "
                  "sleep 0.05; done; exit 1",
                  interface));  // before, the kernel sends nothing
  UdpSocket service(host, "0.0.0.0", 7777);
  UdpSocket sender(robot, "0.0.0.0", 7000);
  bool reached = false;
  for (int i = 0; i < 100 && !reached; ++i) {
    sender.send(net + ".254", 7777, {1, 2, 3});
    reached = service.receive(std::chrono::milliseconds{10}).has_value();
  }
  return reached;
}

// The gateway is stopped meanwhile, so that the moment before it can attach its program lasts.
TEST_F(PortFault, CreatedAndUpAtOnceIsClosedFromTheStart) {
  start("ip link delete hg-green");
  ASSERT_TRUE(gateway_->process().wait_for_output("running,", std::chrono::seconds{20})) << gateway_->output();
  gateway_->process().signal(SIGSTOP);
  EXPECT_TRUE(reaches_host(green(), host(), "hg-other", "10.78.0")) << "no port";
  EXPECT_FALSE(reaches_host(green(), host(), "hg-green", "10.79.0"));
  gateway_->process().signal(SIGCONT);
  when_green_is("up");
  record({"A port's interface is made, gets an address and is set up before the gateway can look",
          "What comes in is not the kernel's: a rule keeps names that are not there from its stack",
          "0 of 100 datagrams reached the host"});
}

// Blue's interface is down, and green's cable is out.
TEST_F(PortFault, DownOrWithoutACableAtTheStart) {
  start(
      "ip link set hg-blue down && "
      "ip netns exec $(ip netns list | grep -o 'hgt-e2e-green[^ ]*' | head -n 1) ip link set eth0 down");
  when_green_is("no carrier");
  EXPECT_THAT(gateway_->status().port_states, testing::ElementsAre("up", "up", "no carrier"));
  EXPECT_EQ(said("is not usable"), 1U);
  EXPECT_EQ(said("no carrier: the cable or its other end is not there, or is down"), 1U);
  while_others_lose_nothing([&] { green().run_ok("ip link set eth0 up"); });
  when_green_is("up");
  expect_frames_to_green(100, true);
  record({"A port's interface is down at the start", "The gateway attaches its program, and then sets it up",
          "3000 of 3000 frames arrive"});
  record({"A robot's cable is out at the start", "Said once; the robot is plugged in when the cable is",
          "100 of 100 frames arrive afterwards"});
}

}  // namespace
}  // namespace hilgate::test
