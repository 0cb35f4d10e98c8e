// SPDX-License-Identifier: Apache-2.0
// A robot that looks for a way into the host.
#include "tests/fault/robots/robot_fault.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

TEST_F(RobotFault, NothingButWhatIsNamedPassesIntoTheHost) {
  const UdpSocket service(host(), "0.0.0.0", kService);
  const UdpSocket behind(host(), kBehind, 319);
  host().run_ok("echo 1 > /proc/sys/net/ipv4/ip_forward");
  const HostTap tap;
  std::vector<Bytes> frames;
  for (const std::uint16_t source : std::initializer_list<std::uint16_t>{22, 319, 320}) {
    frames.push_back(to_host(17, udp(counting(8), kService, source)));
  }
  Bytes from_ssh = tcp({}, 0, 8080);
  put16(from_ssh, 0, 22);
  frames.push_back(to_host(6, from_ssh));
  for (const std::uint16_t port : std::initializer_list<std::uint16_t>{319, 320}) {
    for (const char* beyond : {kBehind, "10.99.0.2", "255.255.255.255"}) {
      frames.push_back(to_host(17, udp(counting(44), port), beyond));
    }
  }
  for (unsigned protocol = 0; protocol < 256; ++protocol) {
    if (protocol != 6 && protocol != 17) {
      frames.push_back(to_host(static_cast<std::uint8_t>(protocol), counting(40)));
    }
  }
  for (unsigned port = 0; port < 1024; ++port) {
    if (port != 22) {
      frames.push_back(to_host(6, tcp({}, 0, static_cast<std::uint16_t>(port))));
    }
  }
  frames.push_back(arp_request({.destination = kBroadcast, .source = robot_mac(kMallory)}, 3, 254));
  const std::size_t sent = flood(frames);
  EXPECT_GT(sent, frames.size());
  EXPECT_EQ(tap.count(), 0U);
  EXPECT_FALSE(service.receive(1ms));
  EXPECT_FALSE(behind.receive(1ms));
  const RawSocket mallory(robot(kMallory), "eth0");
  const RawSocket ssh(host(), "hg-mallory");
  for (int i = 0; i < 10; ++i) {
    mallory.send(to_host(6, tcp({}, 0, 22)));
    EXPECT_TRUE(ssh.receive(2s));
  }
  conclude(
      {"A robot sends to the host from source ports 22, 319 and 320, by PTP to hosts beyond it, by every IP "
       "protocol, on 1023 TCP ports and by ARP; and ssh, which `kernel.pass` names",
       "`kernel.pass` goes by destination; PTP reaches the port's own addresses and PTP's groups alone",
       fmt::format("0 of {} reached the host, and 10 of 10 of ssh", sent)});
}

}  // namespace
}  // namespace hilgate::test
