// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/survey/grid_rays.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/rf_profiles/survey/map_fixture.h"

namespace hilgate::test {
namespace {

double walls_db(const GridMap& map, GridCell a, GridCell b) {
  return WallWalker::kUnitDb * WallWalker(map).between(map.index(a), map.index(b));
}

TEST(Walls, CountOncePerCrossingHoweverThick) {
  const GridMap map = drawn_map({".###..#."});
  EXPECT_EQ(walls_db(map, {0, 0}, {4, 0}), 6);
  EXPECT_EQ(walls_db(map, {0, 0}, {7, 0}), 12);
  EXPECT_EQ(walls_db(map, {4, 0}, {5, 0}), 0);
  EXPECT_EQ(walls_db(map, {2, 0}, {5, 0}), 0);  // out of the wall one stands in
}

TEST(Walls, CountByTheCellWhereTheLegendDoes) {
  const GridMap map = drawn_map({".ccc."});
  EXPECT_EQ(walls_db(map, {0, 0}, {4, 0}), 3);
}

TEST(Walls, AreTheSameBothWays) {
  const GridMap map = drawn_map({"..#..#...", ".#...#.c.", "....#..#.", "#.....#..", "..##..c.."});
  const WallWalker walker(map);
  for (std::uint32_t a = 0; a < map.cell_count(); ++a) {
    for (std::uint32_t b = 0; b <= a; ++b) {
      EXPECT_EQ(walker.between(a, b), walker.between(b, a));
    }
  }
}

TEST(Walls, DoNotOverflow) {
  std::string row;
  for (int i = 0; i < 60; ++i) {
    row += ".#";
  }
  const GridMap map = drawn_map({row});
  EXPECT_EQ(walls_db(map, {0, 0}, {119, 0}), 127.5);
}

std::vector<std::string> empty_hall(std::size_t side) {
  return std::vector<std::string>(side, std::string(side, '.'));
}

TEST(Trace, InTheOpenPowerFallsWithTheSquareOfTheDistanceFromOneSide) {
  const GridMap map = drawn_map(empty_hall(60));
  const auto arrivals = trace_from(map, 10 * 20 + 1, {.rays = 20'000, .block = 3});  // blocks of 3: middle row, west
  const Arrival& near = arrivals[10 * 20 + 6];                                       // 15 cells on
  const Arrival& far = arrivals[10 * 20 + 11];                                       // 30
  EXPECT_NEAR(near.power / far.power, 4, 0.2);
  EXPECT_DOUBLE_EQ(far.direct_share(), 1);
  const ShapeFactors shape = shape_factors(far.moments);
  EXPECT_LT(shape.spread, 0.05);
  EXPECT_NEAR(std::arg(far.moments.f1), std::numbers::pi, 0.01);  // it comes from the west
}

TEST(Trace, WallAfterTheReceiverAddsASecondWave) {
  std::vector<std::string> rows = empty_hall(30);
  for (std::string& row : rows) {
    row[28] = '#';
  }
  const GridMap map = drawn_map(rows);
  const auto arrivals = trace_from(map, 7 * 15 + 1, {.rays = 20'000, .block = 2});
  const Arrival& there = arrivals[7 * 15 + 10];
  EXPECT_LT(there.direct_share(), 0.99);
  EXPECT_GT(there.direct_share(), 0.85);  // brick head on reflects 13 % of the power, from further away
  const ShapeFactors shape = shape_factors(there.moments);
  EXPECT_GT(shape.constriction, 0.9);  // two waves, against one another
  EXPECT_NEAR(std::cos(2 * shape.azimuth_rad), 1, 0.05);
}

TEST(Trace, RoomIsCoveredFromAllSidesAndWeakerAfterWalls) {
  std::vector<std::string> rows(24, "#......................#");
  rows.front() = rows.back() = std::string(24, '#');
  for (std::size_t y = 1; y < 23; ++y) {
    rows[y][12] = '#';
  }
  const GridMap map = drawn_map(rows);
  const auto arrivals = trace_from(map, 3 * 6 + 1, {.rays = 4'000, .reflections = 6, .block = 4});
  const Arrival& same = arrivals[1 * 6 + 1];
  const Arrival& behind = arrivals[3 * 6 + 4];
  EXPECT_LT(same.direct_share(), 0.95);
  EXPECT_GT(shape_factors(same.moments).spread, 0.3);
  EXPECT_GT(same.power, 2 * behind.power);
  for (const Arrival& arrival : arrivals) {
    const ShapeFactors shape = shape_factors(arrival.moments);
    EXPECT_TRUE(shape.spread >= 0 && shape.spread <= 1 + 1e-9);
    EXPECT_TRUE(shape.constriction >= 0 && shape.constriction <= 1 + 1e-9);
  }
}

TEST(Trace, TheRaysOfABlockAddUpToItsArrival) {
  std::vector<std::string> rows(24, "#......................#");
  rows.front() = rows.back() = std::string(24, '#');
  const GridMap map = drawn_map(rows);
  const TraceSettings settings{.rays = 360, .block = 4};
  const std::vector<Ray> rays = rays_between(map, 7, 22, settings);
  const Arrival arrival = trace_from(map, 7, settings)[22];
  ASSERT_FALSE(rays.empty());
  const AngularMoments sum = moments_of_rays(rays);
  EXPECT_NEAR(sum.f0, arrival.power, 1e-9 * arrival.power);
  EXPECT_NEAR(std::abs(sum.f1 - arrival.moments.f1), 0, 1e-9 * arrival.power);
  EXPECT_NEAR(std::abs(sum.f2 - arrival.moments.f2), 0, 1e-9 * arrival.power);
}

}  // namespace
}  // namespace hilgate::test
