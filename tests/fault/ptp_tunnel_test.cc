// SPDX-License-Identifier: Apache-2.0
// Data dressed as PTP on a port whose PTP passes beside the air.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "clock/ptp/ptp_message.h"
#include "tests/fault/fault_record.h"
#include "tests/support/gateway_rig.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

Bytes sync_with(std::size_t more) {
  PtpHeader header;
  header.type = PtpType::kSync;
  header.source.port = 1;
  const PtpMessage message = make_sync(header);
  Bytes bytes{message.span().begin(), message.span().end()};
  bytes.resize(bytes.size() + more);
  return ip_frame({.destination = kBroadcast, .source = mac_of(1), .tags = {}}, {.destination = "224.0.1.129"}, 17,
                  udp(bytes, 319, 319));
}

struct DeafAir {
  DeafAir() : rig(settings()) { rig.publish({.reachable = false}); }
  static PathSettings settings() {
    PathSettings made = plain_settings(2);
    made.ptp = {PtpPassage::kTransparent, PtpPassage::kTransparent};
    return made;
  }
  GatewayRig rig;
};

TEST(Fault, NonClockMessagesGoThroughTheAir) {
  DeafAir air;
  air.rig.arrive(0, sync_with(0));
  air.rig.arrive(0, sync_with(1000));
  air.rig.iterate();
  EXPECT_EQ(air.rig.sent(1).size(), 1U) << "the short one alone";
  EXPECT_EQ(air.rig.dropped(DropReason::kUnreachable), 1U);
  record({"A PTP message followed by 1000 bytes on a `ptp: transparent` port", "Other messages go through the air",
          "1 of 2 passed beside the air"});
}

TEST(Fault, PtpAboveTheClockRateGoesThroughTheAir) {
  DeafAir air;
  std::size_t bytes = 0;
  for (int ms = 0; ms < 1000; ++ms) {
    for (int i = 0; i < 5; ++i) {
      air.rig.arrive(0, sync_with(0));
    }
    air.rig.run(1ms, 1ms);
  }
  for (const auto& frame : air.rig.sent(1)) {
    static_cast<void>(frame);
    bytes += sync_with(0).size();
  }
  EXPECT_LE(air.rig.sent(1).size(), 512U + 64U + 1U);
  EXPECT_GE(air.rig.sent(1).size(), 512U);
  record({"Data dressed as PTP on a `ptp: transparent` port over a dead link",
          "Clocks' messages alone, 128 B and 512 a second at most, pass beside the air",
          fmt::format("{:.2f} Mbit/s of {:.2f} passed", static_cast<double>(bytes) * 8e-6,
                      5000.0 * static_cast<double>(sync_with(0).size()) * 8e-6)});
}

}  // namespace
}  // namespace hilgate::test
