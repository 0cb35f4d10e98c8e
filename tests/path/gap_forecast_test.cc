// SPDX-License-Identifier: Apache-2.0
#include "path/idle_wait.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <random>

namespace hilgate::test {
namespace {

// Of pauses that go round like these; the last round's forecasts are counted.
int right_in_the_last_of(int rounds, std::initializer_list<bool> pauses) {
  GapForecast forecast;
  int right = 0;
  for (int round = 0; round < rounds; ++round) {
    right = 0;
    for (const bool soon : pauses) {
      right += forecast.soon() == soon ? 1 : 0;
      forecast.note(soon, forecast.soon());
    }
  }
  return right;
}

TEST(GapForecast, ExpectsAFrameUntilExperienceSaysOtherwise) {
  GapForecast forecast;
  EXPECT_TRUE(forecast.soon());
}

TEST(GapForecast, LearnsLongPausesWithinFive) {
  GapForecast forecast;
  for (int i = 0; i < 5; ++i) {
    forecast.note(false, forecast.soon());
  }
  EXPECT_FALSE(forecast.soon());
}

TEST(GapForecast, TellsApartWhatFollowsRequestsAndAnswers) {
  EXPECT_EQ(right_in_the_last_of(20, {true, false}), 2);
  EXPECT_EQ(right_in_the_last_of(20, {true, true, false}), 3);
  EXPECT_EQ(right_in_the_last_of(20, {true, true, true, false}), 4);
  EXPECT_EQ(right_in_the_last_of(20, {true, false, false, false}), 4);
}

TEST(GapForecast, FollowsTrafficThatChanges) {
  GapForecast forecast;
  for (int i = 0; i < 1000; ++i) {
    forecast.note(false, forecast.soon());
  }
  for (int i = 0; i < 100; ++i) {
    forecast.note(true, forecast.soon());
  }
  EXPECT_TRUE(forecast.soon());
  for (int i = 0; i < 6; ++i) {
    forecast.note(false, forecast.soon());
  }
  EXPECT_FALSE(forecast.soon());
}

// Where nothing can be known a wait is in vain every other time: then it waits seldom.
TEST(GapForecast, WaitsForNothingInChance) {
  std::mt19937 chance{7};
  GapForecast forecast;
  int waits = 0;
  for (int i = 0; i < 10'000; ++i) {
    waits += forecast.soon() ? 1 : 0;
    forecast.note((chance() & 1U) != 0, forecast.soon());
  }
  EXPECT_LT(waits, 4000);
}

}  // namespace
}  // namespace hilgate::test
