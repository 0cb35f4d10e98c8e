// SPDX-License-Identifier: Apache-2.0
// A robot that looks for a way into the host.
#include "tests/fault/robots/robot_fault.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

// Datagrams that a service of the host got, within a moment.
std::size_t arrived_at(const UdpSocket& service) {
  std::size_t count = 0;
  while (service.receive(100ms)) {
    ++count;
  }
  return count;
}

TEST_F(RobotFault, SourcePortsThatPass) {
  const UdpSocket service(host(), "0.0.0.0", kService);
  const HostTap tap;
  std::vector<Bytes> frames;
  for (const std::uint16_t source : std::initializer_list<std::uint16_t>{22, 319, 320}) {
    frames.push_back(to_host(17, udp(counting(8), kService, source)));
  }
  Bytes from_ssh = tcp({}, 0, 8080);
  put16(from_ssh, 0, 22);
  frames.push_back(to_host(6, from_ssh));
  const std::size_t sent = flood(frames, 200ms);
  EXPECT_EQ(arrived_at(service), 0U);
  EXPECT_EQ(tap.count(), 0U);
  conclude({"A robot sends to the host's services from source ports 22, 319 and 320",
            "`kernel.pass` goes by destination", fmt::format("0 of {} reached the host", sent)});
}

TEST_F(RobotFault, PtpPortsOfOthers) {
  const UdpSocket behind(host(), kBehind, 319);
  std::vector<Bytes> frames;
  for (const std::uint16_t port : std::initializer_list<std::uint16_t>{319, 320}) {
    frames.push_back(to_host(17, udp(counting(44), port), kBehind));
    frames.push_back(to_host(17, udp(counting(44), port), "10.99.0.2"));
    frames.push_back(to_host(17, udp(counting(44), port), "255.255.255.255"));
  }
  host().run_ok("echo 1 > /proc/sys/net/ipv4/ip_forward");
  const HostTap tap;
  const std::size_t sent = flood(frames, 200ms);
  EXPECT_EQ(arrived_at(behind), 0U);
  EXPECT_EQ(tap.count(), 0U);
  conclude({"A robot sends to ports 319 and 320 of hosts beyond the gateway",
            "PTP reaches the port's own addresses and PTP's groups alone",
            fmt::format("0 of {} reached the host", sent)});
}

TEST_F(RobotFault, EveryOtherProtocol) {
  std::vector<Bytes> frames;
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
  const HostTap tap;
  const RawSocket mallory(robot(kMallory), "eth0");
  for (const Bytes& frame : frames) {
    mallory.send(frame);
  }
  EXPECT_EQ(tap.count(), 0U);
  conclude({"A robot tries every IP protocol, 1023 TCP ports and ARP on the host",
            "Nothing but what `kernel.pass` names", fmt::format("0 of {} reached the host", frames.size())});
}

TEST_F(RobotFault, SshFromARobotIsStillLetIn) {
  const HostTap tap;
  const RawSocket mallory(robot(kMallory), "eth0");
  for (int i = 0; i < 10; ++i) {
    mallory.send(to_host(6, tcp({}, 0, 22)));
  }
  EXPECT_EQ(tap.count(), 10U);
  conclude(
      {"A robot floods the service that `kernel.pass` names", "Passed, and no other pair notices", "10 of 10 passed"});
}

}  // namespace
}  // namespace hilgate::test
