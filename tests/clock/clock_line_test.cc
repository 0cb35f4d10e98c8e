// SPDX-License-Identifier: Apache-2.0
#include "clock/clock_line.h"

#include <gtest/gtest.h>

#include <random>

#include "clock/servo/window_clock.h"

namespace hilgate::test {
namespace {

using Line = ClockLine<HostTime, WallTime>;
HostTime host(std::int64_t ns) {
  return HostTime{Nanoseconds{ns}};
}
WallTime wall(std::int64_t ns) {
  return WallTime{Nanoseconds{ns}};
}

TEST(ClockLine, UnitRateIsExactForYears) {
  const Line line{host(1), wall(1'700'000'000'000'000'000), ClockRate{}};
  EXPECT_EQ(line.at(host(300'000'000'000'000'001)), wall(2'000'000'000'000'000'000));
  EXPECT_EQ(line.when(wall(1'700'000'000'000'000'005)), host(6));
}

TEST(ClockLine, RateOfOneThousandthPpbIsKeptOverADay) {
  const Line line{host(0), wall(0), ClockRate::from(1 + 1e-12)};
  EXPECT_NEAR(static_cast<double>((line.at(host(86'400'000'000'000)) - wall(86'400'000'000'000)).count()), 86.4, 1.0);
}

TEST(ClockLine, AClockThatStandsStands) {
  const Line line{host(5), wall(7), ClockRate::from(0)};
  EXPECT_EQ(line.at(host(1'000'000'000'000)), wall(7));
}

TEST(ClockLine, WhenIsTheFirstInstantThatShowsIt) {
  std::mt19937_64 random{7};
  std::uniform_int_distribution<std::int64_t> span{-1'000'000'000'000, 1'000'000'000'000};
  for (const double factor : {0.001, 0.5, 0.9999, 1.0, 1.0001, 2.0, 10.0}) {
    const Line line{host(123), wall(456), ClockRate::from(factor)};
    for (int i = 0; i < 1000; ++i) {
      const WallTime target = wall(span(random));
      const HostTime at = line.when(target);
      EXPECT_GE(line.at(at), target);
      EXPECT_LT(line.at(at - Nanoseconds{1}), target);
    }
  }
}

TEST(WindowGrid, KnowsItsWindows) {
  const WindowGrid grid{10, wall(1000), Nanoseconds{100}};
  EXPECT_EQ(grid.window(wall(999)), 9U);
  EXPECT_EQ(grid.window(wall(1000)), 10U);
  EXPECT_EQ(grid.window(wall(1099)), 10U);
  EXPECT_EQ(grid.window(wall(1100)), 11U);
  EXPECT_EQ(grid.begin(12), wall(1200));
  EXPECT_EQ(grid.next(wall(5)), wall(1000));
  EXPECT_EQ(grid.next(wall(1000)), wall(1100));
  EXPECT_EQ((WindowGrid{0, wall(1000), Nanoseconds{100}}.window(wall(0))), 0U);
}

TEST(WindowGrid, RoundsUpOnBothSidesOfTheEpoch) {
  EXPECT_EQ(round_up(wall(1), Nanoseconds{10}), wall(10));
  EXPECT_EQ(round_up(wall(10), Nanoseconds{10}), wall(10));
  EXPECT_EQ(round_up(wall(-1), Nanoseconds{10}), wall(0));
  EXPECT_EQ(round_up(wall(-11), Nanoseconds{10}), wall(-10));
}

}  // namespace
}  // namespace hilgate::test
