// SPDX-License-Identifier: Apache-2.0
// Robots without configured addresses: one that makes up thousands, and one that takes its neighbour's.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "path/addresses/directory.h"
#include "tests/fault/fault_record.h"
#include "tests/support/packets.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

// Three robots, each alone on its port, none with configured addresses.
std::vector<RobotEntry> open_lab() {
  return {{PortSlot{0}, {}, {}}, {PortSlot{1}, {}, {}}, {PortSlot{2}, {}, {}}};
}

struct OpenDirectory : Directory {
  OpenDirectory() : Directory(open_lab()) {}
  void hear(std::uint32_t port, MacAddress source, HostTime now = {}) {
    const auto robot = sender(PortSlot{port}, {.destination = kBroadcast, .source = source}, now);
    ASSERT_EQ(robot, (std::variant<RobotSlot, DropReason>(RobotSlot{port})));
  }
  std::vector<std::uint32_t> hearing(std::uint32_t from, MacAddress to) {
    const Bytes frame = ethernet({.destination = to, .source = test::mac_of(1), .tags = {}}, 0x88b5, payload(50));
    std::vector<std::uint32_t> all;
    for (const RobotSlot robot : receivers(RobotSlot{from}, frame, parse_ethernet(frame).value())) {
      all.push_back(robot.value());
    }
    return all;
  }
};

TEST(Fault, ForgedAddressesFillOnlyTheirRobotsTable) {
  OpenDirectory directory;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    directory.hear(0, MacAddress{0x02AA'0000'0000ULL + i});
  }
  directory.hear(1, mac_of(50));
  EXPECT_EQ(directory.hearing(2, mac_of(50)), std::vector<std::uint32_t>{1});
  record({"A robot without `mac:` sends from 20000 addresses", "It fills its own table; others are learned",
          "the neighbour is reached"});
}

TEST(Fault, ClaimedAddressReturnsWithItsOwnersNextFrame) {
  OpenDirectory directory;
  directory.hear(1, mac_of(50));
  directory.hear(0, mac_of(50));  // the thief
  EXPECT_TRUE(directory.take_move()) << "no flow to the owner is remembered";
  EXPECT_EQ(directory.hearing(2, mac_of(50)), std::vector<std::uint32_t>{0});
  directory.hear(1, mac_of(50));
  EXPECT_TRUE(directory.take_move());
  EXPECT_EQ(directory.hearing(2, mac_of(50)), std::vector<std::uint32_t>{1});
  record({"A robot sends from its neighbour's address, which is learned",
          "It moves, as in a switch, until the owner sends again; an address in `mac` does not move",
          "frames go to the last sender"});
}

TEST(Fault, OldAddressesAreEvicted) {
  OpenDirectory directory;
  HostTime now{};
  for (std::uint64_t i = 0; i < 5'000; ++i) {
    directory.hear(0, MacAddress{0x02AA'0000'0000ULL + i}, now);
  }
  EXPECT_TRUE(directory.hearing(2, mac_of(50)).empty());
  now += 6min;
  directory.hear(0, mac_of(50), now);
  EXPECT_EQ(directory.hearing(2, mac_of(50)), std::vector<std::uint32_t>{0});
  record({"A robot's table of learned addresses is full of old ones", "Addresses unused for 5 min are evicted",
          "learned after 6 min"});
}

}  // namespace
}  // namespace hilgate::test
