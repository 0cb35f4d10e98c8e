// SPDX-License-Identifier: Apache-2.0
// More VLAN tags than anybody reads.
#include "tests/fault/robots/robot_fault.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

TEST_F(RobotFault, ManyVlanTags) {
  const RawSocket mallory(robot(kMallory), "eth0");
  const RawSocket green(robot(kGreen), "eth0");
  const HostTap tap;
  std::size_t unchanged = 0;
  for (std::size_t tags = 3; tags <= 12; ++tags) {
    const Bytes frame =
        ip_frame({.destination = robot_mac(kGreen), .source = robot_mac(kMallory), .tags = std::vector<VlanTag>(tags)},
                 {.source = NetLab::ipv4(kMallory), .destination = kHost}, 6, tcp({}, 0, 22));
    mallory.send(frame);
    for (auto heard = green.receive(2s); heard; heard = green.receive(2s)) {
      if (*heard == frame) {
        ++unchanged;
        break;
      }
    }
  }
  EXPECT_EQ(unchanged, 10U);
  EXPECT_EQ(tap.count(), 0U);
  conclude({"Three to twelve VLAN tags, with ssh to the host inside",
            "Unknown protocols are payload: unchanged to the receiver, and not to the host",
            fmt::format("{} of 10 arrived unchanged", unchanged)});
}

}  // namespace
}  // namespace hilgate::test
