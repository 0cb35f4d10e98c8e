// SPDX-License-Identifier: Apache-2.0
// Lists that all share, and one robot or user that would fill them.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <memory>
#include <vector>

#include "gateway/run/telemetry/radio_statuses.h"
#include "gateway/views/web/followers.h"
#include "tests/fault/fault_record.h"
#include "tests/support/packets.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

// Mallory speaks to blue from as many ports as there are, and blue answers each; red speaks to blue once a second.
TEST(Fault, EndlessMavlinkFlowsDoNotEvictOthers) {
  const RobotIndex kRed{0}, kBlue{1}, kMallory{2};
  const auto from_port = [](std::uint16_t port) {
    return UdpEnds{mac_of(1), mac_of(2), ipv4_of(1), ipv4_of(2), port, 14550};
  };
  RadioStatuses radios;
  std::size_t told = 0;
  for (int second = 1; second <= 5; ++second) {
    const SimTime now{second * 1s};
    radios.note(kRed, kBlue, from_port(14555), mavlink::Version::k2, now);
    for (std::uint16_t port = 1; port <= 1'000; ++port) {
      radios.note(kMallory, kBlue, from_port(port), mavlink::Version::k2, now + port * 1us);
      radios.note(kBlue, kMallory, from_port(port).reversed(), mavlink::Version::k2, now + port * 1us);
    }
    radios.send_due(
        now + 500ms, [=](RobotIndex robot) { return robot == kRed; },
        [](RobotIndex, RobotIndex) { return RadioPair{}; },
        [&told](RobotIndex, std::span<const std::byte>) {
          ++told;
          return true;
        });
  }
  const auto flows = radios.flows();
  EXPECT_EQ(told, 5U);
  EXPECT_EQ(flows.at({kRed, kBlue, from_port(14555).reversed()}).sent, 5U) << "in one sequence";
  EXPECT_LE(flows.size(), 2U + 64U);
  record({"A robot sends MAVLink from 1000 UDP ports, and is answered",
          "RADIO_STATUS is sent in 64 flows of a robot; those of others continue",
          fmt::format("{} flows of it; {} of 5 told in another robot's", flows.size() - 2, told)});
}

TEST(Fault, WatchersOfOneUserLeaveRoomForOthers) {
  Followers followers(32);
  std::vector<Followers::Place> places(100);
  std::size_t came = 0;
  const auto come = [&](const std::string& peer) {
    const std::size_t number = came++;
    places[number] = followers.enter(peer, [&places, number] { places[number].reset(); });
    return places[number] != nullptr;
  };
  std::size_t crowd = 0;
  while (come("user 1000")) {
    ++crowd;
  }
  EXPECT_EQ(crowd, 32U);
  std::size_t others = 0;
  for (const char* peer : {"user 0", "user 1001", "192.0.2.7", "user 0"}) {
    others += come(peer) ? 1 : 0;
  }
  EXPECT_EQ(others, 4U);
  EXPECT_FALSE(come("user 1000"));
  record({"A user of the machine opens the page's stream of reports until no place is left",
          "When others come, he loses the oldest of his; requests_test does it with the page itself",
          fmt::format("{} of {} places; {} of 4 others find one", crowd, 32, others)});
}

}  // namespace
}  // namespace hilgate::test
