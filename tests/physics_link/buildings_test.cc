// SPDX-License-Identifier: Apache-2.0
#include "physics_link/buildings.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "physics_link/obstacles.h"

namespace hilgate::test {
namespace {

GroundRing rectangle(double west, double south, double east, double north) {
  return {{west, south}, {east, south}, {east, north}, {west, north}};
}

Prism hall(double top_m = 10) {
  return {.rings = {rectangle(0, 0, 20, 10)},
          .base_m = 0,
          .top_m = top_m,
          .material = 2,
          .wall_m = {},
          .fixed_loss_db = {}};
}

std::vector<WallCrossing> crossed(const Prism& prism, const Vec3& a, const Vec3& b) {
  std::vector<WallCrossing> walls;
  append_crossings({a, b}, prism, walls);
  return walls;
}

TEST(Prism, SolidOneIsOneCrossingAsLongAsTheChord) {
  const auto walls = crossed(hall(), {-10, 5, 2}, {30, 5, 2});
  ASSERT_EQ(walls.size(), 1U);
  EXPECT_EQ(walls[0].material, 2U);
  EXPECT_DOUBLE_EQ(walls[0].thickness_m, 20);
  EXPECT_NEAR(walls[0].incidence_rad, 0, 1e-9);
}

TEST(Prism, HollowOneIsCrossedGoingInAndComingOut) {
  Prism prism = hall();
  prism.wall_m = 0.3;
  const auto walls = crossed(prism, {-15, 0, 2}, {15, 30, 2});  // at 45 degrees, past its corner
  EXPECT_TRUE(walls.empty());
  const auto slanted = crossed(prism, {0, -5, 2}, {20, 15, 2});
  ASSERT_EQ(slanted.size(), 2U);
  for (const WallCrossing& wall : slanted) {
    EXPECT_NEAR(wall.thickness_m, 0.3 * std::sqrt(2), 1e-9);
    EXPECT_NEAR(wall.incidence_rad, M_PI / 4, 1e-9);
  }
}

TEST(Prism, RobotInsideIsAttenuatedByOneWall) {
  Prism prism = hall();
  prism.wall_m = 0.3;
  EXPECT_EQ(crossed(prism, {10, 5, 2}, {50, 5, 2}).size(), 1U);
  EXPECT_EQ(crossed(prism, {5, 5, 2}, {15, 5, 2}).size(), 0U);
}

TEST(Prism, TheRoofIsAFaceToo) {
  const auto walls = crossed(hall(), {10, 5, 30}, {10, 5, 2});
  ASSERT_EQ(walls.size(), 1U);
  EXPECT_DOUBLE_EQ(walls[0].thickness_m, 8);
  EXPECT_NEAR(walls[0].incidence_rad, 0, 1e-9);
  EXPECT_TRUE(crossed(hall(), {-10, 5, 12}, {30, 5, 10}).empty()) << "over it";
  // From above the middle down to the east: through the roof at x = 10, out through the wall at x = 20.
  const auto down = crossed(hall(), {0, 5, 20}, {30, 5, -10});
  ASSERT_EQ(down.size(), 1U);
  EXPECT_NEAR(down[0].thickness_m, 10 * std::sqrt(2), 1e-9);
}

TEST(Prism, ACourtyardIsOpen) {
  Prism prism = hall();
  prism.rings.push_back(rectangle(5, 2, 15, 8));
  const auto walls = crossed(prism, {-10, 5, 2}, {30, 5, 2});
  ASSERT_EQ(walls.size(), 2U);
  EXPECT_DOUBLE_EQ(walls[0].thickness_m, 5);
  EXPECT_DOUBLE_EQ(walls[1].thickness_m, 5);
  EXPECT_TRUE(crossed(prism, {6, 5, 2}, {14, 5, 2}).empty());
}

TEST(Prism, APassageUnderItIsOpen) {
  Prism prism = hall();
  prism.base_m = 4;
  EXPECT_TRUE(crossed(prism, {-10, 5, 2}, {30, 5, 2}).empty());
  EXPECT_EQ(crossed(prism, {-10, 5, 5}, {30, 5, 5}).size(), 1U);
}

// Houses of random outlines around random places, some of them across others.
class Town {
 public:
  explicit Town(std::uint64_t seed, std::size_t houses = 300) : random_(seed) {
    for (std::size_t i = 0; i < houses; ++i) {
      prisms_.push_back(house());
    }
  }
  [[nodiscard]] const std::vector<Prism>& prisms() const { return prisms_; }
  double between(double low, double high) { return std::uniform_real_distribution(low, high)(random_); }
  Vec3 near(const Vec3& place, double most_m) {
    const double turn = between(0, 2 * M_PI);
    const double up = between(-1, 1);
    const double flat_m = most_m * std::sqrt(1 - up * up);
    return {place.x + flat_m * std::cos(turn), place.y + flat_m * std::sin(turn), place.z + most_m * up};
  }
  Vec3 place(double highest_m) { return {between(-600, 600), between(-600, 600), between(0, highest_m)}; }

 private:
  Prism house() {
    const double x = between(-500, 500);
    const double y = between(-500, 500);
    const double size = between(3, 60);
    GroundRing ring;
    const double least = between(0, 1) < 0.5 ? 1 : 0.4;  // convex, or with corners inwards
    for (double angle = 0; angle < 6; angle += between(0.5, 1.5)) {
      const double radius = size * between(least, 1);
      ring.push_back({x + radius * std::cos(angle), y + radius * std::sin(angle)});
    }
    return {.rings = {ring},
            .base_m = 0,
            .top_m = between(3, 40),
            .material = 0,
            .wall_m = between(0, 1) < 0.5 ? std::optional(0.3) : std::nullopt,
            .fixed_loss_db = {}};
  }

  std::mt19937_64 random_;
  std::vector<Prism> prisms_;
};

// By the sum of the angles under which the edges are seen, which is a full turn within (one outline, no courtyard).
bool is_in(const Prism& prism, const Vec3& point) {
  const GroundRing& ring = prism.rings[0];
  double turned = 0;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const GroundPoint& to = ring[(i + 1) % ring.size()];
    const double from_angle = std::atan2(ring[i].y - point.y, ring[i].x - point.x);
    turned += std::remainder(std::atan2(to.y - point.y, to.x - point.x) - from_angle, 2 * M_PI);
  }
  return prism.base_m < point.z && point.z < prism.top_m && std::abs(turned) > M_PI;
}

// By points along the ray, each asked whether it is in the house.
double chord_by_points(const Prism& prism, const Vec3& a, const Vec3& b) {
  constexpr int kPoints = 4000;
  int inside = 0;
  for (int i = 0; i < kPoints; ++i) {
    const double t = (i + 0.5) / kPoints;
    inside += is_in(prism, {std::lerp(a.x, b.x, t), std::lerp(a.y, b.y, t), std::lerp(a.z, b.z, t)}) ? 1 : 0;
  }
  return distance_m(a, b) * inside / kPoints;
}

TEST(Prism, ChordsEqualThePointsInside) {
  Town town(1, 40);
  for (Prism prism : town.prisms()) {
    prism.wall_m.reset();
    const GroundPoint middle = prism.rings[0][0];
    for (int i = 0; i < 5; ++i) {
      const Vec3 a{middle.x + town.between(-50, 50), middle.y + town.between(-50, 50), town.between(0, 30)};
      const Vec3 b{middle.x + town.between(-50, 50), middle.y + town.between(-50, 50), town.between(0, 30)};
      double chord = 0;
      for (const WallCrossing& wall : crossed(prism, a, b)) {
        chord += wall.thickness_m;
      }
      EXPECT_NEAR(chord, chord_by_points(prism, a, b), 0.2);
    }
  }
}

using Thicknesses = std::vector<double>;

Thicknesses sorted_thicknesses(const std::vector<WallCrossing>& walls) {
  Thicknesses all;
  for (const WallCrossing& wall : walls) {
    all.push_back(wall.thickness_m);
  }
  std::ranges::sort(all);
  return all;
}

TEST(Buildings, EqualTheTestOfEachOne) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    Town town(seed);
    const Buildings buildings(town.prisms());
    std::size_t found = 0;
    for (int i = 0; i < 2000; ++i) {
      Segment ray{town.place(50), town.place(10)};
      if (i % 10 == 0) {
        ray.b.x = ray.a.x;  // along an axis
      }
      if (i % 100 == 0) {
        ray.b.y = ray.a.y;  // upright
      }
      std::vector<WallCrossing> each;
      for (const Prism& prism : town.prisms()) {
        append_crossings(ray, prism, each);
      }
      std::vector<WallCrossing> all;
      buildings.append_crossings(ray, all);
      EXPECT_EQ(sorted_thicknesses(all), sorted_thicknesses(each)) << "ray " << i << " of seed " << seed;
      found += all.size();
    }
    EXPECT_GT(found, 2000U);
  }
}

TEST(Buildings, WallsAfterAnOpaqueOneAreSkipped) {
  std::vector<Prism> row;
  for (int i = 0; i < 100; ++i) {
    row.push_back(hall());
    row.back().rings = {rectangle(30.0 * i, 0, 30.0 * i + 20, 10)};
    row.back().fixed_loss_db = 14;
  }
  std::vector<WallCrossing> walls;
  Buildings(row).append_crossings({{-10, 5, 2}, {4000, 5, 2}}, walls);
  EXPECT_GE(14.0 * static_cast<double>(walls.size()), Buildings::kMostLossDb);
  EXPECT_LT(walls.size(), 20U);
}

double fixed_losses(const Buildings& buildings, const Segment& ray) {
  double loss_db = 0;
  for (const Prism& prism : buildings.prisms()) {
    std::vector<WallCrossing> walls;
    append_crossings(ray, prism, walls);
    loss_db += *prism.fixed_loss_db * static_cast<double>(walls.size());
  }
  return std::min(loss_db, Buildings::kMostLossDb);
}

TEST(Buildings, CrossingsLastWhileTheEndsMoveNoFartherThanIsSaid) {
  for (const std::uint64_t seed : {4, 5, 6}) {
    Town town(seed);
    std::vector<Prism> prisms = town.prisms();
    for (Prism& prism : prisms) {
      prism.fixed_loss_db = 14;
    }
    const Buildings buildings(prisms);
    int lasting = 0;
    int silent = 0;
    for (int i = 0; i < 400; ++i) {
      const Segment ray{town.place(50), town.place(10)};
      std::vector<WallCrossing> walls;
      const double move_m = buildings.append_lasting_crossings(ray, walls);
      std::vector<WallCrossing> of_one_look;
      buildings.append_crossings(ray, of_one_look);
      ASSERT_EQ(sorted_thicknesses(walls), sorted_thicknesses(of_one_look));
      ASSERT_GE(move_m, 0);
      ASSERT_LE(move_m, kLongestStay);
      const double before_db = fixed_losses(buildings, ray);
      lasting += move_m > 0.05 ? 1 : 0;
      silent += before_db == Buildings::kMostLossDb && move_m > 1 ? 1 : 0;
      for (int j = 0; j < 10; ++j) {
        const Segment moved{town.near(ray.a, 0.999 * move_m), town.near(ray.b, 0.999 * move_m)};
        EXPECT_EQ(fixed_losses(buildings, moved), before_db) << "ray " << i << " of seed " << seed;
      }
    }
    EXPECT_GT(lasting, 100);
    EXPECT_GT(silent, 0);
  }
}

TEST(Buildings, CrossingsWithAngleDependentLossAreNotCached) {
  std::vector<WallCrossing> walls;
  EXPECT_EQ(Buildings({hall()}).append_lasting_crossings({{-10, 5, 2}, {40, 5, 2}}, walls), 0);
  EXPECT_GT(Buildings({hall()}).append_lasting_crossings({{-10, 15, 2}, {40, 15, 2}}, walls), 0.9);
}

TEST(Obstacles, BoxesAndBuildingsAreBetween) {
  const Obstacles obstacles({Obstacle{.box = {{40, -5, 0}, {41, 5, 9}}, .material = 1, .wall_m = {}}},
                            std::make_shared<const Buildings>(std::vector{hall()}));
  std::vector<WallCrossing> walls;
  EXPECT_TRUE(obstacles.append_between({{-10, 4, 2}, {50, 4, 2}}, walls));
  EXPECT_EQ(walls.size(), 2U);
  walls.clear();
  EXPECT_FALSE(obstacles.append_between({{-10, 12, 2}, {50, 12, 2}}, walls));
  EXPECT_TRUE(walls.empty());
}

// A plain at 2 m with a ridge 12 m high along x = 50.
HeightGrid ridge() {
  std::vector<float> heights;
  for (int row = 0; row < 11; ++row) {
    for (int column = 0; column < 11; ++column) {
      heights.push_back(column == 5 ? 12 : 2);
    }
  }
  return {{.west_m = 0, .south_m = 0, .step_m = 10, .columns = 11, .rows = 11}, heights, 500};
}

TEST(HeightGrid, IsBilinearBetweenPostsAndKeepsItsEdges) {
  const HeightGrid grid = ridge();
  EXPECT_DOUBLE_EQ(grid.at(50, 33), 12);
  EXPECT_DOUBLE_EQ(grid.at(45, 33), 7);
  EXPECT_DOUBLE_EQ(grid.at(-50, 33), 2);
  EXPECT_TRUE(grid.covers(100, 0));
  EXPECT_FALSE(grid.covers(100.1, 0));
  EXPECT_NEAR(grid.above_sea(0, 0), 502, 1e-9);
}

TEST(HeightGrid, BlocksPathsBelowTheGround) {
  const HeightGrid grid = ridge();
  EXPECT_TRUE(grid.blocks({{10, 50, 4}, {90, 50, 4}}));
  EXPECT_FALSE(grid.blocks({{10, 50, 13}, {90, 50, 13}}));
  EXPECT_FALSE(grid.blocks({{10, 20, 4}, {30, 80, 4}}));
  // The sight line over the ridge ends where that through its top meets the ground beyond: (90 - 50) / (50 - 10) times
  // 12 m - 4 m below the top.
  EXPECT_FALSE(grid.blocks({{10, 50, 4}, {90, 50, 20.1}}));
  EXPECT_TRUE(grid.blocks({{10, 50, 4}, {90, 50, 19.9}}));
}

TEST(Obstacles, TheGroundBlocksWithoutWalls) {
  const Obstacles obstacles({}, nullptr, std::make_shared<const HeightGrid>(ridge()));
  std::vector<WallCrossing> walls;
  EXPECT_TRUE(obstacles.append_between({{10, 50, 4}, {90, 50, 4}}, walls));
  EXPECT_TRUE(walls.empty());
  EXPECT_FALSE(obstacles.append_between({{10, 50, 14}, {90, 50, 14}}, walls));
}

}  // namespace
}  // namespace hilgate::test
