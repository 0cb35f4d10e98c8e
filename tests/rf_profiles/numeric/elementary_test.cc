// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/numeric/elementary.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rf_profiles/numeric/random.h"

namespace hilgate::test {
namespace {

constexpr double kError = 4e-16;
constexpr int kDraws = 200'000;

TEST(Elementary, LogarithmIsThatOfTheCLibrary) {
  FrameRandom random(1, 0, 0);
  for (int i = 0; i < kDraws; ++i) {
    const double x = std::exp(1400 * (random.uniform() - 0.5));
    const long double expected = std::log2(static_cast<long double>(x));
    EXPECT_LE(std::abs(octaves(x) - expected), kError * std::max(1.0L, std::abs(expected))) << x;
    const double near_one = 0.5 + random.uniform();
    EXPECT_LE(std::abs(octaves(near_one) - std::log2(static_cast<long double>(near_one))), kError) << near_one;
  }
  for (int power = -1022; power < 1024; ++power) {
    EXPECT_EQ(octaves(std::ldexp(1.0, power)), power);
  }
}

TEST(Elementary, LogarithmOfNonPositiveValues) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(octaves(0), -infinity);
  EXPECT_EQ(octaves(1e-310), -infinity);
  EXPECT_EQ(octaves(infinity), infinity);
  EXPECT_TRUE(std::isnan(octaves(-1)));
  EXPECT_TRUE(std::isnan(octaves(-infinity)));
  EXPECT_TRUE(std::isnan(octaves(std::nan(""))));
}

TEST(Elementary, PowerOfTwoIsThatOfTheCLibrary) {
  FrameRandom random(2, 0, 0);
  for (int i = 0; i < kDraws; ++i) {
    const double x = 2000 * (random.uniform() - 0.5);
    const long double expected = std::exp2(static_cast<long double>(x));
    EXPECT_LE(std::abs(power_of_two(x) - expected), kError * expected) << x;
  }
  EXPECT_EQ(power_of_two(0), 1);
  EXPECT_EQ(power_of_two(-1e9), std::ldexp(1.0, -1000));
  EXPECT_EQ(power_of_two(1e9), std::ldexp(1.0, 1000));
}

TEST(Elementary, CircleIsThatOfTheCLibrary) {
  constexpr long double kTwoPi = 6.283185307179586476925286766559L;
  FrameRandom random(3, 0, 0);
  for (int i = 0; i < kDraws; ++i) {
    const double turns = 40 * (random.uniform() - 0.5);
    const CirclePoint point = circle_at(turns);
    EXPECT_LE(std::abs(point.cosine - std::cos(kTwoPi * turns)), kError) << turns;
    EXPECT_LE(std::abs(point.sine - std::sin(kTwoPi * turns)), kError) << turns;
  }
  for (int quarter = -8; quarter <= 8; ++quarter) {
    const CirclePoint point = circle_at(quarter / 4.0);
    EXPECT_EQ(std::abs(point.cosine) + std::abs(point.sine), 1) << quarter;
  }
  EXPECT_EQ(circle_at(0.25).sine, 1);
  EXPECT_EQ(circle_at(-0.25).sine, -1);
  EXPECT_EQ(circle_at(0.5).cosine, -1);
}

}  // namespace
}  // namespace hilgate::test
