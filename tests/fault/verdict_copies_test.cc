// SPDX-License-Identifier: Apache-2.0
// A network simulator that passes 65536 verdicts on one packet.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "tests/fault/fault_record.h"
#include "tests/support/gateway_rig.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

TEST(Fault, CopiesOfVerdictsAreLimited) {
  PathSettings settings = plain_settings(3);
  settings.parked_packets = 64;
  GatewayRig rig(settings);
  rig.path->verdicts().open = true;
  rig.arrive(0, udp_frame(1, 2, 100));
  rig.iterate();
  for (int i = 0; i < 65'536; ++i) {
    const ParkedOrder order{
        .packet = 0, .due = rig.clock.now() + 1s, .to = RobotSlot{1}, .what = ParkedOrder::What::kDeliver};
    while (!rig.path->verdicts().orders.push(order)) {
      rig.iterate();
    }
  }
  rig.run(10ms, 1ms);
  EXPECT_EQ(rig.path->totals().copies, Parking::kMostCopies);
  EXPECT_EQ(rig.path->totals().copies_refused, 65'535 - Parking::kMostCopies);
  rig.run(2s, 10ms);
  EXPECT_EQ(rig.sent(1).size(), 1U + Parking::kMostCopies);
  record({"65536 verdicts for one packet and receiver", "Three copies beyond the first delivery at most",
          fmt::format("{} deliveries, {} verdicts refused", rig.sent(1).size(), rig.path->totals().copies_refused)});
}

}  // namespace
}  // namespace hilgate::test
