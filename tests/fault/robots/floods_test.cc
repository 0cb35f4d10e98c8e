// SPDX-License-Identifier: Apache-2.0
// A robot that sends as much as it can.
#include "tests/fault/robots/robot_fault.h"
#include "tests/support/traffic.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

TEST_F(RobotFault, FloodByTheKernel) {
  {
    Flood flood(robot(kMallory), "eth0", {.to = robot_mac(kGreen), .from = robot_mac(kMallory)});
    for (const auto end = std::chrono::steady_clock::now() + 500ms; std::chrono::steady_clock::now() < end;) {
      flood.burst();
    }
  }
  const std::uint64_t taken = grew(captured);
  EXPECT_GT(taken, kMany);
  conclude({"A robot floods another with short frames as quickly as a core makes them", "Other pairs lose nothing",
            fmt::format("{} frames taken in 500 ms", taken)});
}

TEST_F(RobotFault, FloodWithAddressesThatAreNotItsOwn) {
  std::vector<Bytes> frames;
  for (unsigned i = 0; i < 4096; ++i) {
    frames.push_back(ethernet({robot_mac(kGreen), MacAddress{0x02AA'0000'0000ULL + i}}, 0x9999, counting(60)));
    frames.push_back(ethernet({robot_mac(kBlue), robot_mac(kRed)}, 0x9999, counting(60)));
    frames.push_back(ethernet({kBroadcast, robot_mac(kBlue)}, 0x9999, counting(60)));
  }
  const std::size_t sent = flood(frames);
  const std::uint64_t unknown = expect_refused("unknown_sender", sent);
  const std::uint64_t spoofed = expect_refused("spoofed_sender", sent);
  expect_mallory_heard();
  conclude({"A robot sends from 4096 unassigned MAC addresses and from its neighbours', as quickly as it can",
            "Dropped as unknown_sender and spoofed_sender; none is learned, no robot receives them",
            fmt::format("{} and {} dropped", unknown, spoofed)});
}

TEST_F(RobotFault, FloodOfGroups) {
  std::vector<Bytes> frames;
  for (unsigned i = 0; i < 4096; ++i) {
    frames.push_back(ethernet({MacAddress{0x0100'5E00'0000ULL + i}, robot_mac(kMallory)}, 0x9999, counting(60)));
    frames.push_back(ethernet({kBroadcast, robot_mac(kMallory)}, 0x9999, counting(60)));
  }
  const std::size_t sent = flood(frames);
  EXPECT_GT(grew(captured), kMany);
  conclude({"A broadcast storm, and frames to 4096 multicast groups",
            "Directed frames of others still arrive; groups take no room in any table",
            fmt::format("{} frames in 400 ms", sent)});
}

}  // namespace
}  // namespace hilgate::test
