// SPDX-License-Identifier: Apache-2.0
#include "clock/sim_clock.h"

#include <gtest/gtest.h>

namespace hilgate {
namespace {

using namespace std::chrono_literals;

HostTime host(Nanoseconds since) {
  return HostTime{since};
}
SimTime sim(Nanoseconds since) {
  return SimTime{since};
}

TEST(SimClock, RunsAtItsFactorAndStandsWhilePaused) {
  SimClock clock{host(10s), sim(0s), 0.5};
  EXPECT_EQ(clock.lines().at(host(12s)), sim(1s));
  clock.pause(host(12s));
  EXPECT_TRUE(clock.is_paused());
  EXPECT_EQ(clock.lines().at(host(20s)), sim(1s));
  clock.resume(host(20s));
  EXPECT_EQ(clock.lines().at(host(22s)), sim(2s));
  clock.set_factor(host(22s), 10);
  EXPECT_EQ(clock.lines().at(host(23s)), sim(12s));
}

TEST(SimClock, StampsFromJustBeforeAChangeAreOnTheOldLine) {
  SimClock clock{host(0s), sim(0s), 10};
  clock.pause(host(1s));
  EXPECT_EQ(clock.lines().at(host(1s - 1ms)), sim(10s - 10ms));
  EXPECT_EQ(clock.lines().at(host(1s)), sim(10s));
}

TEST(SimClock, FollowsTheDisciplinedClock) {
  SimClock clock{host(0s), sim(0s), 2};
  clock.follow(host(1s), ClockRate::from(1 + 1e-4));
  EXPECT_NEAR(static_cast<double>((clock.lines().at(host(2s)) - sim(4s + 200us)).count()), 0, 1);
  clock.pause(host(2s));
  clock.follow(host(3s), ClockRate::from(1));
  EXPECT_EQ(clock.lines().at(host(9s)), clock.lines().at(host(2s))) << "a paused clock stays paused";
}

TEST(SimClock, SaysWhichFactorsArePossible) {
  try {
    SimClock{host(0s), sim(0s), -1};
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "clock: sim time at -1 times wall time; 0 to 1000 are possible");
  }
  SimClock clock{host(0s), sim(0s), 1};
  EXPECT_THROW(clock.set_factor(host(1s), 1001), std::runtime_error);
  EXPECT_THROW(clock.set_factor(host(1s), std::nan("")), std::runtime_error);
}

}  // namespace
}  // namespace hilgate
