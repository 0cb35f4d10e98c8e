// SPDX-License-Identifier: Apache-2.0
// A robot that sends as much as it can.
#include "tests/fault/robots/robot_fault.h"
#include "tests/support/traffic.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

std::string rate_of(std::size_t frames, std::chrono::milliseconds length) {
  return fmt::format("{} frames a second", 1000 * frames / static_cast<std::size_t>(length.count()));
}

TEST_F(RobotFault, FloodToARobot) {
  const std::size_t sent = flood({to_green(0x9999, counting(1400))}, 1s);
  conclude({"A robot floods another with 1400-byte frames", "Other pairs lose nothing", rate_of(sent, 1s)});
}

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

TEST_F(RobotFault, FloodFromAnUnknownAddress) {
  std::vector<Bytes> frames;
  for (unsigned i = 0; i < 4096; ++i) {
    frames.push_back(ethernet({robot_mac(kGreen), MacAddress{0x02AA'0000'0000ULL + i}}, 0x9999, counting(60)));
  }
  const std::size_t sent = flood(frames);
  const std::uint64_t refused = expect_refused("unknown_sender", sent);
  conclude({"A robot sends from 4096 unassigned addresses", "Dropped as unknown_sender; none is learned",
            fmt::format("{} dropped", refused)});
}

TEST_F(RobotFault, BroadcastStorm) {
  const std::size_t sent = flood({ethernet({kBroadcast, robot_mac(kMallory)}, 0x9999, counting(60))}, 300ms);
  conclude({"A broadcast storm", "Directed frames of others still arrive", rate_of(sent, 300ms)});
}

TEST_F(RobotFault, GroupsWithoutEnd) {
  std::vector<Bytes> frames;
  for (unsigned i = 0; i < 4096; ++i) {
    frames.push_back(ethernet({MacAddress{0x0100'5E00'0000ULL + i}, robot_mac(kMallory)}, 0x9999, counting(60)));
  }
  const std::size_t sent = flood(frames, 300ms);
  conclude({"Frames to 4096 multicast groups", "Groups take no room in any table", rate_of(sent, 300ms)});
}

}  // namespace
}  // namespace hilgate::test
