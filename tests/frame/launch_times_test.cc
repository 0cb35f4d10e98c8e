// SPDX-License-Identifier: Apache-2.0
// Which instants of its clock a device gets. How a device is found fit for it: tests/xdp/launch_path_test.cc and
// tests/dpdk/dpdk_launches_test.cc.
#include "frame/departures/launch_times.h"

#include <gtest/gtest.h>

#include <chrono>

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr HostTime kLaunchStart{10s};
constexpr Nanoseconds kReading{20};
constexpr Nanoseconds kHost{5};

/// Of a device whose clock began with host time.
class LaunchTimesTest : public testing::Test {
 protected:
  LaunchTimesTest() { launches_.trust(); }

  void take_lines(int count, Nanoseconds drift) {
    for (int i = 0; i < count; ++i) {
      now_ += 100ms;
      launches_.take_line(stamp_line({}, drift, kReading, kHost), now_);
      launches_.look(now_);
    }
  }
  /// How much later than due the device is to send a frame.
  Nanoseconds later() {
    const HostTime due = now_ + 50us;
    const auto launch = launches_.for_frame(due, now_);
    EXPECT_TRUE(launch);
    return launch ? launch->at.time_since_epoch() - due.time_since_epoch() : Nanoseconds{0};
  }

  LaunchTimes launches_;
  HostTime now_ = kLaunchStart;
};

TEST_F(LaunchTimesTest, TheInstantIsLaterThanDueByTheErrorsAndTheWorstOfTheLastDriftsOnce) {
  take_lines(20, 10ns);
  EXPECT_EQ(later(), 3 * kReading + kHost + 10ns);
  take_lines(1, 80ns);
  EXPECT_EQ(later(), 3 * kReading + kHost + 80ns);
  take_lines(7, 10ns);
  EXPECT_EQ(later(), 3 * kReading + kHost + 80ns);
  take_lines(1, 10ns);
  EXPECT_EQ(later(), 3 * kReading + kHost + 10ns);
}

// A counter of 100 MHz: a step of 60 us is 6000 ticks.
TEST_F(LaunchTimesTest, AStepIsMeasuredInHostTimeWhateverTheTick) {
  StampLine line = stamp_line({.rate = ClockRate::from(10)}, 10ns, kReading, kHost);
  for (int i = 0; i < 20; ++i) {
    now_ += 100ms;
    launches_.take_line(line, now_);
    launches_.look(now_);
  }
  EXPECT_TRUE(launches_.report().used);
  line.line.to += 40us;
  launches_.take_line(line, now_);
  EXPECT_TRUE(launches_.report().used);
  line.line.to += 60us;
  launches_.take_line(line, now_);
  EXPECT_FALSE(launches_.report().used);
  EXPECT_EQ(launches_.report().problem, LaunchProblem::kClock);
}

}  // namespace
}  // namespace hilgate::test
