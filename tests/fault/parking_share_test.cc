// SPDX-License-Identifier: Apache-2.0
// A robot whose frames fill the parking while the network simulator is silent.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "tests/fault/fault_record.h"
#include "tests/support/gateway_rig.h"

namespace hilgate::test {
namespace {

constexpr int kFlood = 1000;
constexpr int kOthers = 8;

TEST(Fault, ParkedFramesOfOneRobotLeaveRoomForOthers) {
  PathSettings settings = plain_settings(3);
  settings.parked_packets = 64;
  GatewayRig rig(settings);
  rig.path->verdicts().open = true;
  for (int i = 0; i < kFlood; ++i) {
    rig.arrive(0, udp_frame(1, 2, 100));
    rig.iterate();
    for (ParkedPacket packet; rig.path->verdicts().parked.pop(packet);) {
    }
  }
  const std::uint64_t refused = rig.dropped(DropReason::kHoldFull);
  for (int i = 0; i < kOthers; ++i) {
    rig.arrive(1, udp_frame(2, 3, 100));
    rig.iterate();
  }
  EXPECT_EQ(rig.dropped(DropReason::kHoldFull), refused) << "the other robot's frames";
  EXPECT_GE(kFlood - refused, 50U) << "four fifths of 64 for one alone";
  record(
      {"A robot sends while the network simulator is silent", "It has four fifths of the parking at most",
       fmt::format("{} of {} frames parked; {} of {} of another robot", kFlood - refused, kFlood, kOthers, kOthers)});
}

}  // namespace
}  // namespace hilgate::test
