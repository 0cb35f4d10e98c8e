// SPDX-License-Identifier: Apache-2.0
#include "clock/servo/sim_clock.h"

#include <gtest/gtest.h>

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

HostTime host_at(Nanoseconds since) {
  return HostTime{since};
}
SimTime sim(Nanoseconds since) {
  return SimTime{since};
}

TEST(SimClock, RunsAtItsFactorAndStandsWhilePaused) {
  SimClock clock{WallLine{}, host_at(10s), sim(0s), 0.5};
  EXPECT_EQ(clock.lines().at(host_at(12s)), sim(1s));
  clock.pause(host_at(12s));
  EXPECT_EQ(clock.lines().at(host_at(20s)), sim(1s));
  clock.resume(host_at(20s));
  EXPECT_EQ(clock.lines().at(host_at(22s)), sim(2s));
  clock.set_factor(host_at(22s), 10);
  EXPECT_EQ(clock.lines().at(host_at(23s)), sim(12s));
}

TEST(SimClock, StampsFromJustBeforeAChangeAreOnTheOldLine) {
  SimClock clock{WallLine{}, host_at(0s), sim(0s), 10};
  clock.pause(host_at(1s));
  EXPECT_EQ(clock.lines().at(host_at(1s - 1ms)), sim(10s - 10ms));
  EXPECT_EQ(clock.lines().at(host_at(1s)), sim(10s));
}

WallTime wall_at(Nanoseconds since) {
  return WallTime{since};
}

TEST(SimClock, FollowsTheDisciplinedClock) {
  SimClock clock{WallLine{}, host_at(0s), sim(0s), 2};
  clock.follow(host_at(1s), WallLine{host_at(1s), wall_at(1s), ClockRate::from(1 + 1e-4)});
  EXPECT_NEAR(static_cast<double>((clock.at(host_at(2s)) - sim(4s + 200us)).count()), 0, 1);
  clock.pause(host_at(2s));
  clock.follow(host_at(3s), WallLine{host_at(3s), wall_at(3s), ClockRate{}});
  EXPECT_EQ(clock.at(host_at(9s)), clock.at(host_at(2s))) << "a paused clock stays paused";
}

TEST(SimClock, StaysWithItsWallTimeHoweverOftenThatIsSteered) {
  SimClock clock{WallLine{}, host_at(0s), sim(0s), 0.3};
  WallLine line;
  for (int i = 1; i <= 100'000; ++i) {
    const HostTime now = host_at(i * 50ms);
    line = {now, line.at(now), ClockRate::from(1 + (i % 7) * 1e-8)};
    clock.follow(now, line);
  }
  const double expected = 0.3 * static_cast<double>(line.to.time_since_epoch().count());
  EXPECT_NEAR(static_cast<double>(clock.at(line.from).time_since_epoch().count()), expected, 1);
}

TEST(SimClock, ContinuesWhenItsWallTimeJumps) {
  SimClock clock{WallLine{}, host_at(0s), sim(0s), 0.5};
  clock.step(host_at(2s), WallLine{host_at(2s), wall_at(1000s), ClockRate{}});
  EXPECT_EQ(clock.at(host_at(2s)), sim(1s));
  EXPECT_EQ(clock.at(host_at(4s)), sim(2s));
  EXPECT_EQ(clock.when(sim(2s)), host_at(4s));
}

TEST(SimClock, StandsUntilItsAlignmentHasCaughtUp) {
  SimClock clock{WallLine{}, host_at(0s), sim(0s), 1};
  clock.align(host_at(1s), sim(2s), wall_at(2500ms));
  EXPECT_EQ(clock.at(host_at(1s)), sim(1s));
  EXPECT_EQ(clock.at(host_at(1400ms)), sim(1s));
  EXPECT_EQ(clock.at(host_at(1600ms)), sim(1100ms));
  EXPECT_EQ(clock.when(sim(2s)), host_at(2500ms));
}

TEST(SimClock, ReportsTheHostTimeOfAnInstant) {
  SimClock clock{WallLine{}, host_at(10s), sim(0s), 0.3};
  EXPECT_GE(clock.at(clock.when(sim(1s))), sim(1s));
  EXPECT_LT(clock.at(clock.when(sim(1s)) - 1ns), sim(1s));
  clock.set_factor(host_at(20s), 0);
  EXPECT_EQ(clock.when(sim(4s)), HostTime::max());
}

TEST(SimClock, ErrorsNamePossibleFactors) {
  try {
    SimClock{WallLine{}, host_at(0s), sim(0s), -1};
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "clock: simulation time at -1 times wall time; allowed: 0 to 1000");
  }
  SimClock clock{WallLine{}, host_at(0s), sim(0s), 1};
  EXPECT_THROW(clock.set_factor(host_at(1s), 1001), std::runtime_error);
  EXPECT_THROW(clock.set_factor(host_at(1s), std::nan("")), std::runtime_error);
}

}  // namespace
}  // namespace hilgate::test
