// SPDX-License-Identifier: Apache-2.0
// Interfaces that are deleted under a running gateway, and made again.
#include "tests/fault/port_fixture.h"
#include "tests/support/udp_socket.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr const char* kHost = "10.77.0.254";
constexpr auto kTalkPace = 1ms;  // of who talks to it

TEST_F(PortFault, DeletedAndRecreated) {
  start();
  for (int round = 0; round < 3; ++round) {
    while_others_lose_nothing([&] {
      link("delete hg-green");
      when_green_is("absent");
      plug_green_in();
      when_green_is("up");
    });
    expect_frames_to_green(100, true);
  }
  EXPECT_EQ(said("there is no such interface"), 3U) << "once each time";
  record({"A port's interface is deleted and made again under traffic, three times",
          "Its robots are unplugged meanwhile; it is taken again; other pairs lose nothing",
          "3 of 3 times taken again, 0 of 9000 frames of the other pair lost"});

  const std::size_t opened = said("driver af_xdp");
  gateway_->process().signal(SIGSTOP);
  link("delete hg-green");
  plug_green_in();
  gateway_->process().signal(SIGCONT);
  gateway_->status_when(
      [&](const GatewayStatus& now) { return said("driver af_xdp") == opened + 1 && !now.unplugged[kGreen]; });
  expect_frames_to_green(100, true);
  record({"A port's interface is deleted and made again before the gateway can look",
          "The new one is taken for what it is", "100 of 100 frames arrive"});

  for (const char* name : {"red", "blue", "green"}) {
    link(fmt::format("delete hg-{}", name));
  }
  gateway_->status_when(
      [](const GatewayStatus& now) { return now.port_states == std::vector<std::string>(3, "absent"); });
  for (std::size_t n = 0; n < 3; ++n) {
    const NetNs& robot = gateway_->robot(n);
    robot.run_ok("echo 1 > /proc/sys/net/ipv6/conf/default/disable_ipv6");
    VethPair({&host(), gateway_->lab().port(n)}, {&robot, "eth0", NetLab::mac(n), {NetLab::ipv4(n) + "/24"}});
  }
  gateway_->status_when([](const GatewayStatus& now) { return now.port_states == std::vector<std::string>(3, "up"); });
  while_others_lose_nothing([] {});
  expect_frames_to_green(100, true);
  record({"The interfaces of all ports are deleted and made again", "All are taken again",
          "0 of 3000 frames of the other pair lost afterwards"});
}

// A robot that talks to the host all the time.
class Intruder {
 public:
  explicit Intruder(const NetNs& robot) : socket_(robot, "0.0.0.0", 7000) {
    thread_ = std::jthread([this](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        try {
          socket_.send(kHost, 7777, {1, 2, 3});
        } catch (const std::exception&) {
          // no cable at the moment
        }
        std::this_thread::sleep_for(kTalkPace);
      }
    });
  }

 private:
  UdpSocket socket_;
  std::jthread thread_;
};

TEST_F(PortFault, RecreatedInterfaceKeepsItsRobotOutOfTheHost) {
  start();
  const UdpSocket service(host(), "0.0.0.0", 7777);
  const Intruder intruder(green());
  link("delete hg-green");
  link(fmt::format("add hg-green address {} type veth peer name eth0 address {} netns {}", kPortMac,
                   NetLab::mac(kGreen), green().name()));
  host().run_ok(fmt::format("ip addr add {}/24 dev hg-green", kHost));
  green().run_ok(fmt::format("ip addr add {}/24 dev eth0; ip link set eth0 up; ip neigh replace {} lladdr {} dev eth0",
                             NetLab::ipv4(kGreen), kHost, kPortMac));
  when_green_is("up");
  const std::uint64_t before = gateway_->status().totals("frames_captured");
  gateway_->status_when([&](const GatewayStatus& now) { return now.totals("frames_captured") > before + 100; });
  // What the port captures now, the host would have got before.
  EXPECT_FALSE(service.receive(1ms)) << "the robot reached the host";
  record({"A deleted port is made again, and its robot talks to the host",
          "The program is attached before the interface is up; nothing reaches the host",
          "0 of more than 100 datagrams"});
}

}  // namespace
}  // namespace hilgate::test
