// SPDX-License-Identifier: Apache-2.0
// Frames that are no frames of anything.
#include <array>
#include <functional>
#include <random>

#include "tests/fault/robots/robot_fault.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr std::array<std::uint16_t, 8> kTypes = {0x0800, 0x86dd, 0x0806, 0x8100, 0x88a8, 0x88f7, 0x88cc, 0x0001};

void add_noise(std::vector<Bytes>& frames, const std::function<Bytes(std::uint16_t type, const Bytes&)>& frame) {
  std::mt19937 random(1);
  for (int i = 0; i < 4096; ++i) {
    Bytes content(random() % 1400 + 1);
    for (std::byte& byte : content) {
      byte = static_cast<std::byte>(random());
    }
    frames.push_back(frame(kTypes[random() % kTypes.size()], content));
  }
}

// IPv4 and UDP headers with each byte at its edges.
void add_headers(std::vector<Bytes>& frames, const Bytes& whole) {
  for (std::size_t at = 14; at < 42; ++at) {
    for (const unsigned value : {0U, 1U, 0x7fU, 0x80U, 0xffU}) {
      frames.push_back(whole);
      frames.back()[at] = static_cast<std::byte>(value);
    }
  }
}

TEST_F(RobotFault, MalformedFramesAreAccountedFor) {
  std::vector<Bytes> frames;
  add_noise(frames, [](std::uint16_t type, const Bytes& content) { return to_green(type, content); });
  const auto packet = [](std::uint16_t fragment) {
    return ip_frame({.destination = robot_mac(kGreen), .source = robot_mac(kMallory)},
                    {.source = NetLab::ipv4(kMallory), .destination = NetLab::ipv4(kGreen), .fragment = fragment}, 17,
                    udp(counting(64)));
  };
  add_headers(frames, packet(0));
  for (unsigned i = 0; i < 512; ++i) {
    frames.push_back(packet(static_cast<std::uint16_t>(0x2000U | (i * 16U))));
  }
  const std::size_t sent = flood(frames);
  expect_mallory_heard();
  conclude(
      {"Noise of 1 to 1400 bytes as IPv4, IPv6, ARP, VLAN, PTP and LLDP, IPv4 and UDP headers with every byte at "
       "its edges, fragments that never become a packet",
       "All accounted for; payload to their receiver; no fragment is kept",
       fmt::format("{} frames of {} kinds, {} dropped as runt", sent, frames.size(), dropped("runt"))});
}

TEST_F(RobotFault, GroupsOfBridgesAndSwitches) {
  std::vector<Bytes> frames;
  for (unsigned last = 0; last < 0x30; ++last) {
    frames.push_back(ethernet({MacAddress{0x0180'C200'0000ULL + last}, robot_mac(kMallory)}, 0x8808, counting(46)));
  }
  const HostTap tap;
  const std::size_t sent = flood(frames, 200ms);
  EXPECT_EQ(tap.count(), 0U);
  expect_mallory_heard();
  conclude({"Pause frames, spanning tree, LACP: everything to 01:80:C2:00:00:00 to 2F",
            "A group like others: to the robots, not to the host", fmt::format("0 of {} reached the host", sent)});
}

}  // namespace
}  // namespace hilgate::test
