// SPDX-License-Identifier: Apache-2.0
#include "physics_link/ray_box.h"

#include <gtest/gtest.h>

#include <numbers>

#include "physics_link/obstacles.h"

namespace hilgate::test {
namespace {

constexpr double kPi = std::numbers::pi;
const Box kUnit{{0, 0, 0}, {10, 10, 10}};

struct ChordCase {
  const char* what;
  Segment ray;
  bool hit;
  double enter = 0, leave = 0;
  int enter_axis = 0, leave_axis = 0;
};

TEST(RayBox, Chords) {
  const ChordCase cases[] = {
      {"through the middle along x", {{-10, 5, 5}, {30, 5, 5}}, true, 0.25, 0.5, 0, 0},
      {"the same backwards", {{30, 5, 5}, {-10, 5, 5}}, true, 0.5, 0.75, 0, 0},
      {"along z", {{5, 5, 20}, {5, 5, -20}}, true, 0.25, 0.5, 2, 2},
      {"in through x, out through y", {{-5, 5, 5}, {15, 25, 5}}, false},
      {"across a corner", {{-2, 6, 5}, {6, 14, 5}}, true, 0.25, 0.5, 0, 1},
      {"beside", {{-10, 11, 5}, {30, 11, 5}}, false},
      {"above", {{-10, 5, 10.5}, {30, 5, 10.5}}, false},
      {"along a face", {{-10, 10, 5}, {30, 10, 5}}, false},
      {"through an edge only", {{-5, 5, 5}, {5, 15, 5}}, false},
      {"both ends at one place", {{5, 5, 5}, {5, 5, 5}}, false},
      {"ends before the box: the chord lies beyond t = 1", {{-10, 5, 5}, {-5, 5, 5}}, true, 2, 4, 0, 0},
      {"begins inside: the chord begins before t = 0", {{5, 5, 5}, {15, 5, 5}}, true, -0.5, 0.5, 0, 0},
  };
  for (const ChordCase& c : cases) {
    const auto chord = chord_of(c.ray, kUnit);
    ASSERT_EQ(chord.has_value(), c.hit) << c.what;
    if (chord) {
      EXPECT_NEAR(chord->enter, c.enter, 1e-12) << c.what;
      EXPECT_NEAR(chord->leave, c.leave, 1e-12) << c.what;
      EXPECT_EQ(chord->enter_axis, c.enter_axis) << c.what;
      EXPECT_EQ(chord->leave_axis, c.leave_axis) << c.what;
    }
  }
}

std::vector<WallCrossing> crossings(const Segment& ray, std::optional<double> wall_m) {
  std::vector<WallCrossing> walls;
  append_crossings(ray, {kUnit, 3, wall_m}, walls);
  return walls;
}

TEST(Obstacle, SolidBoxIsOneCrossingAsLongAsTheChord) {
  const auto straight = crossings({{-10, 5, 5}, {30, 5, 5}}, std::nullopt);
  ASSERT_EQ(straight.size(), 1u);
  EXPECT_EQ(straight[0].material, 3u);
  EXPECT_NEAR(straight[0].thickness_m, 10, 1e-12);
  EXPECT_NEAR(straight[0].incidence_rad, 0, 1e-7);

  const auto slanted = crossings({{-10, -10, 5}, {20, 20, 5}}, std::nullopt);
  ASSERT_EQ(slanted.size(), 1u);
  EXPECT_NEAR(slanted[0].thickness_m, 10 * std::sqrt(2), 1e-12);
  EXPECT_NEAR(slanted[0].incidence_rad, kPi / 4, 1e-12);
}

TEST(Obstacle, HollowBoxIsCrossedGoingInAndComingOut) {
  const auto walls = crossings({{-10, 2, 5}, {20, 8, 5}}, 0.2);
  ASSERT_EQ(walls.size(), 2u);
  const double slant = std::sqrt(30 * 30 + 6 * 6) / 30;
  for (const WallCrossing& wall : walls) {
    EXPECT_NEAR(wall.thickness_m, 0.2 * slant, 1e-12);
    EXPECT_NEAR(wall.incidence_rad, std::acos(1 / slant), 1e-12);
  }
}

TEST(Obstacle, HollowBoxInThroughOneFaceAndOutThroughAnother) {
  // Enters through x = 0 at 45 degrees, leaves through y = 10.
  const auto walls = crossings({{-5, 0, 5}, {8, 13, 5}}, 0.2);
  ASSERT_EQ(walls.size(), 2u);
  EXPECT_NEAR(walls[0].thickness_m, 0.2 * std::sqrt(2), 1e-12);
  EXPECT_NEAR(walls[1].thickness_m, 0.2 * std::sqrt(2), 1e-12);
}

TEST(Obstacle, RayWithinAWallIsOneCrossing) {
  const auto walls = crossings({{-10, 0.1, 5}, {30, 0.1, 5}}, 0.2);
  ASSERT_EQ(walls.size(), 1u);
  EXPECT_NEAR(walls[0].thickness_m, 10, 1e-12);
}

TEST(Obstacle, OnlyObstaclesBetweenTheEndsCount) {
  EXPECT_TRUE(crossings({{-10, 5, 5}, {-1, 5, 5}}, std::nullopt).empty());
  EXPECT_TRUE(crossings({{11, 5, 5}, {20, 5, 5}}, 0.2).empty());
  EXPECT_TRUE(crossings({{4, 5, 5}, {6, 5, 5}}, 0.2).empty()) << "both robots in the same room";

  const auto out = crossings({{5, 5, 5}, {20, 5, 5}}, 0.2);  // from the inside out
  ASSERT_EQ(out.size(), 1u);
  EXPECT_NEAR(out[0].thickness_m, 0.2, 1e-12);

  const auto half = crossings({{5, 5, 5}, {20, 5, 5}}, std::nullopt);  // buried in a solid box
  ASSERT_EQ(half.size(), 1u);
  EXPECT_NEAR(half[0].thickness_m, 5, 1e-12);
  EXPECT_NEAR(half[0].incidence_rad, 0, 1e-7);

  const auto in_the_wall = crossings({{0.1, 5, 5}, {20, 5, 5}}, 0.2);  // one end in the wall itself
  ASSERT_EQ(in_the_wall.size(), 2u);
  EXPECT_NEAR(in_the_wall[0].thickness_m, 0.1, 1e-12);
  EXPECT_NEAR(in_the_wall[1].thickness_m, 0.2, 1e-12);
}

TEST(Obstacle, WallsTooThickForAnInsideMakeItSolid) {
  const auto walls = crossings({{-10, 5, 5}, {30, 5, 5}}, 5.0);
  ASSERT_EQ(walls.size(), 1u);
  EXPECT_NEAR(walls[0].thickness_m, 10, 1e-12);
}

TEST(Obstacle, BothDirectionsSeeTheSame) {
  const Segment there{{-3, 1, 2}, {14, 9, 8}};
  const auto one = crossings(there, 0.3);
  const auto other = crossings({there.b, there.a}, 0.3);
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_NEAR(one[i].thickness_m, other[one.size() - 1 - i].thickness_m, 1e-12);
    EXPECT_NEAR(one[i].incidence_rad, other[one.size() - 1 - i].incidence_rad, 1e-12);
  }
}

}  // namespace
}  // namespace hilgate::test
