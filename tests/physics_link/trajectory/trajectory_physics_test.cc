// SPDX-License-Identifier: Apache-2.0
#include "physics_link/trajectory/trajectory_physics.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <utility>

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

const RobotIndex kRed{0}, kBlue{1}, kGreen{2};

TrajectoryPhysics patrol() {
  std::vector<Track> tracks{
      {{SimTime{}, {0, 0, 2}}}, {{SimTime{}, {40, 0, 2}}, {SimTime{10s}, {40, 100, 2}}}, {{SimTime{}, {0, 50, 2}}}};
  return {tracks, {{{{10, 10, 0}, {30, 60, 8}}, 1, 0.3}}};
}

TEST(TrajectoryPhysics, FollowsAddedAndRemovedWalls) {
  TrajectoryPhysics physics = patrol();
  Scene scene;
  physics.scene_at(SimTime{}, scene);
  EXPECT_EQ(scene.robots[1].position, (Vec3{40, 0, 2}));
  EXPECT_TRUE(scene.between(kRed, kBlue).line_of_sight);
  EXPECT_FALSE(scene.between(kBlue, kGreen).line_of_sight);
  EXPECT_TRUE(scene.between(kRed, kGreen).line_of_sight);

  physics.scene_at(SimTime{5s}, scene);  // blue at (40, 50): straight through the building from green
  EXPECT_EQ(scene.at, SimTime{5s});
  ASSERT_EQ(scene.between(kGreen, kBlue).walls.size(), 2u);
  EXPECT_NEAR(scene.between(kGreen, kBlue).walls[0].thickness_m, 0.3, 1e-12);
  EXPECT_EQ(scene.between(kGreen, kBlue).walls[0].material, 1u);
  EXPECT_FALSE(scene.between(kRed, kBlue).line_of_sight);

  physics.scene_at(SimTime{10s}, scene);  // blue at (40, 100): green sees it past the far corner
  EXPECT_TRUE(scene.between(kGreen, kBlue).line_of_sight);
  EXPECT_TRUE(scene.between(kGreen, kBlue).walls.empty());
}

TEST(TrajectoryPhysics, ReusesTheScenesStorage) {
  TrajectoryPhysics physics = patrol();
  Scene scene;
  physics.scene_at(SimTime{}, scene);
  physics.scene_at(SimTime{5s}, scene);
  const void* const robots = scene.robots.data();
  const void* const walls = scene.sights[pair_index(kGreen, kBlue)].walls.data();
  physics.scene_at(SimTime{10s}, scene);
  physics.scene_at(SimTime{11s}, scene);
  EXPECT_EQ(scene.robots.data(), robots);
  EXPECT_EQ(scene.sights[pair_index(kGreen, kBlue)].walls.data(), walls);
}

TEST(TrajectoryPhysics, RejectsImpossibleBoxes) {
  const auto error_of = [](Obstacle obstacle) -> std::string {
    try {
      TrajectoryPhysics physics({{{SimTime{}, {}}}}, {obstacle});
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(error_of({{{0, 0, 0}, {1, 0, 1}}, 0, std::nullopt}),
            "obstacle 0 is empty: from (0, 0, 0) m to (1, 0, 1) m; max must be larger than min on every axis");
  EXPECT_EQ(error_of({{{0, 0, 0}, {1, 1, 1}}, 0, 0.0}), "obstacle 0 has walls of 0 m; the thickness must be above 0");
}

/// Streets between 20 by 20 houses, and robots that drive along and across them at their own speeds; some stand.
Obstacles streets() {
  std::vector<Prism> houses;
  for (int i = 0; i < 400; ++i) {
    const double x = 20.0 * (i % 20);
    const double y = 20.0 * (i / 20);
    const bool is_slab = i % 7 == 0;  // whose loss depends on the angle
    houses.push_back({.rings = {{{x, y}, {x + 12, y}, {x + 12, y + 10}, {x, y + 10}}},
                      .base_m = 0,
                      .top_m = 4.0 + i % 9,
                      .material = is_slab ? 1U : 0U,
                      .wall_m = i % 3 == 0 ? std::optional(0.3) : std::nullopt,
                      .fixed_loss_db = is_slab ? std::nullopt : std::optional(14.0)});
  }
  return {{{{{150, 150, 0}, {153, 250, 20}}, 1, {}}}, std::make_shared<const Buildings>(std::move(houses))};
}

std::vector<Track> drives() {
  std::vector<Track> tracks;
  for (int i = 0; i < 24; ++i) {
    const double x = 17.0 * i;
    const double y = 15.0 + 20 * (i % 19);
    const double way = i % 5 == 0 ? 0 : 4.0 * i;
    const Vec3 to = i % 2 == 0 ? Vec3{x + way, y, 1.5} : Vec3{x, y - way, 1.5 + i % 4};
    tracks.push_back({{SimTime{}, {x, y, 1.5}}, {SimTime{100s}, to}});
  }
  return tracks;
}

// What matters of walls: their number by material, and of solid and slanting ones the thickness.
std::pair<double, double> wall_losses_of(const Sight& sight) {
  double fixed = 0;
  double slabs = 0;
  for (const WallCrossing& wall : sight.walls) {
    (wall.material == 0 ? fixed : slabs) += wall.material == 0 ? 14 : wall.thickness_m;
  }
  return fixed >= Buildings::kMostLossDb ? std::pair(Buildings::kMostLossDb, 0.0) : std::pair(fixed, slabs);
}

TEST(TrajectoryPhysics, AmongBuildingsEqualsTheTestOfEveryPair) {
  TrajectoryPhysics physics(drives(), streets());
  Scene scene;
  int changes = 0;
  std::vector<bool> seen(pair_count(24));
  for (SimTime at{}; at < SimTime{50s}; at += 50ms) {
    physics.scene_at(at, scene);
    if (at.time_since_epoch() % 1s != 0s) {
      continue;
    }
    TrajectoryPhysics anew(drives(), streets());
    Scene expected;
    anew.scene_at(at, expected);
    for (std::size_t pair = 0; pair < expected.sights.size(); ++pair) {
      const Sight& sight = std::as_const(scene.sights)[pair];
      ASSERT_EQ(sight.line_of_sight, std::as_const(expected.sights)[pair].line_of_sight) << pair;
      ASSERT_EQ(wall_losses_of(sight), wall_losses_of(std::as_const(expected.sights)[pair])) << pair;
      changes += seen[pair] != sight.line_of_sight ? 1 : 0;
      seen[pair] = sight.line_of_sight;
    }
  }
  EXPECT_GT(changes, 30);
}

TEST(TrajectoryPhysics, AmongBuildingsWritesSightsThatOthersHaveChangedAnew) {
  TrajectoryPhysics physics(drives(), streets());
  Scene scene;
  physics.scene_at(SimTime{}, scene);
  const auto walls = std::as_const(scene.sights)[200].walls.size();
  scene.sights[200].walls.clear();
  scene.sights[200].line_of_sight = true;
  physics.scene_at(SimTime{1ms}, scene);
  EXPECT_EQ(std::as_const(scene.sights)[200].walls.size(), walls);

  Scene other;
  physics.scene_at(SimTime{2ms}, other);
  EXPECT_EQ(std::as_const(other.sights)[200].walls.size(), walls);
}

}  // namespace
}  // namespace hilgate::test
