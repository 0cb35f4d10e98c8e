// SPDX-License-Identifier: Apache-2.0
#include "clock/reference/reference_monitor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hilgate::test {
namespace {

using ::testing::HasSubstr;

// A story: seconds of host time, and what the source says then.
class ReferenceMonitorTest : public ::testing::Test {
 protected:
  static HostTime at(double seconds) { return HostTime{Nanoseconds{static_cast<std::int64_t>(seconds * 1e9)}}; }
  void sample(double seconds, std::uint8_t grandmaster = 1) {
    ReferenceReading reading;
    reading.sample = ReferenceSample{at(seconds), WallTime{}};
    reading.grandmaster = ClockIdentity{{grandmaster}};
    reading.port_state = PtpPortState::kSlave;
    monitor.update(at(seconds), reading);
  }
  void silence(double seconds, PtpPortState state = PtpPortState::kSlave, const std::string& problem = "") {
    ReferenceReading reading;
    reading.port_state = state;
    reading.problem = problem;
    monitor.update(at(seconds), reading);
  }
  [[nodiscard]] std::uint64_t count(ClockEventKind kind) const { return events.count(kind); }

  ClockEvents events;
  MonitorOptions options{.loss_after = std::chrono::seconds{3}, .drift_ppb = 2000};
  ReferenceMonitor monitor{options, true, events};
};

TEST_F(ReferenceMonitorTest, WaitsFindsLosesAndFindsAgain) {
  EXPECT_EQ(monitor.state(), ReferenceState::kWaiting);
  silence(0);
  EXPECT_EQ(monitor.state(), ReferenceState::kWaiting);
  sample(1);
  EXPECT_EQ(monitor.state(), ReferenceState::kTracking);
  silence(3.9);
  EXPECT_EQ(monitor.state(), ReferenceState::kTracking);
  silence(4);
  EXPECT_EQ(monitor.state(), ReferenceState::kHoldover);
  silence(5);
  sample(6);
  EXPECT_EQ(monitor.state(), ReferenceState::kTracking);
  EXPECT_EQ(count(ClockEventKind::kReferenceFound), 1U);
  EXPECT_EQ(count(ClockEventKind::kReferenceLost), 1U);
  EXPECT_EQ(count(ClockEventKind::kReferenceReturned), 1U);
}

TEST_F(ReferenceMonitorTest, APortThatListensHasLostItsMasterAtOnce) {
  sample(1);
  silence(1.1, PtpPortState::kListening, "no grandmaster is heard");
  EXPECT_EQ(monitor.state(), ReferenceState::kHoldover);
  EXPECT_THAT(events.recent().back().text, HasSubstr("no grandmaster is heard"));
  EXPECT_THAT(events.recent().back().text, HasSubstr("2000 ns per second"));
}

TEST_F(ReferenceMonitorTest, HoldoverDriftsByItsBudget) {
  sample(1);
  EXPECT_EQ(monitor.drift_allowance(at(2)), Nanoseconds{0});
  silence(11);
  EXPECT_EQ(monitor.drift_allowance(at(11)), Nanoseconds{20'000});
}

TEST_F(ReferenceMonitorTest, CountsGrandmasterChanges) {
  sample(1, 1);
  sample(2, 1);
  EXPECT_EQ(count(ClockEventKind::kGrandmasterChanged), 0U);
  sample(3, 2);
  EXPECT_EQ(count(ClockEventKind::kGrandmasterChanged), 1U);
}

TEST_F(ReferenceMonitorTest, CountsUtcOffsetAndLeapOncePerChange) {
  ReferenceReading reading;
  reading.properties = TimeProperties{.utc_offset_s = 37, .leap_61 = false};
  monitor.update(at(1), reading);
  reading.properties->leap_61 = true;
  monitor.update(at(2), reading);
  monitor.update(at(3), reading);
  reading.properties = TimeProperties{.utc_offset_s = 38, .leap_61 = false};
  monitor.update(at(4), reading);
  EXPECT_EQ(count(ClockEventKind::kLeapAnnounced), 1U);
  EXPECT_EQ(count(ClockEventKind::kUtcOffsetChanged), 1U);
  EXPECT_EQ(events.recent().back().text, "TAI - UTC changed from 37 s to 38 s");
}

TEST_F(ReferenceMonitorTest, AClockWithoutReferenceLosesNothing) {
  ReferenceMonitor free{options, false, events};
  ReferenceReading reading;
  free.update(at(100), reading);
  EXPECT_EQ(free.state(), ReferenceState::kFree);
  EXPECT_EQ(events.total(), 0U);
}

TEST(ReferenceMonitor, RefusesNonsense) {
  ClockEvents events;
  EXPECT_THROW(ReferenceMonitor({.loss_after = Nanoseconds{0}}, true, events), std::runtime_error);
}

TEST(ClockEvents, KeepsTheLast64AndCountsAll) {
  ClockEvents events;
  for (int i = 0; i < 100; ++i) {
    events.record({}, ClockEventKind::kOutlier, std::to_string(i));
  }
  EXPECT_EQ(events.recent().size(), 64U);
  EXPECT_EQ(events.recent().front().text, "36");
  EXPECT_EQ(events.count(ClockEventKind::kOutlier), 100U);
}

}  // namespace
}  // namespace hilgate::test
