// SPDX-License-Identifier: Apache-2.0
#include "examples/cornet-fig5/fig5.h"

#include <gtest/gtest.h>

#include "gateway/run/windows/verdict_desk.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

TEST(CornetRule, HoldsForTheRestAndDiscardsLatePackets) {
  EXPECT_EQ(rest_of_hold(1s, 300ms), 700ms);
  EXPECT_EQ(rest_of_hold(1s, 1s), 0ns);
  EXPECT_EQ(rest_of_hold(1s, 1s + 1ns), std::nullopt);
}

TEST(CornetFig5, WithSynchronisationASecondIsASecondOfTheRobots) {
  const Fig5Result result = run_fig5({.synchronised = true});
  ASSERT_GT(result.delays.size(), 1000U);
  for (const Nanoseconds delay : result.delays) {
    EXPECT_EQ(delay, 1s);
  }
  EXPECT_GT(result.correlation, 0.99);
}

TEST(CornetFig5, WithoutItEqualsPhysicsInOneSecondOfWallTime) {
  const Fig5Result result = run_fig5({.synchronised = false});
  ASSERT_GT(result.delays.size(), 1000U);
  for (const Nanoseconds delay : result.delays) {
    EXPECT_GE(delay, 490ms);
    EXPECT_LE(delay, 650ms + 20ms) << "two windows of 10 ms are the resolution";
  }
  EXPECT_LT(result.correlation, 0.5);
}

TEST(CornetFig5, TheSameSeedGivesTheSameRun) {
  EXPECT_EQ(run_fig5({.synchronised = false, .seed = 3}).delays, run_fig5({.synchronised = false, .seed = 3}).delays);
}

}  // namespace
}  // namespace hilgate::test
