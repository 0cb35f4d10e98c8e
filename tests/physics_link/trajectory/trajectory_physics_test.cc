// SPDX-License-Identifier: Apache-2.0
#include "physics_link/trajectory/trajectory_physics.h"

#include <gtest/gtest.h>

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

const RobotIndex kRed{0}, kBlue{1}, kGreen{2};

TrajectoryPhysics patrol() {
  std::vector<Track> tracks{
      {{SimTime{}, {0, 0, 2}}}, {{SimTime{}, {40, 0, 2}}, {SimTime{10s}, {40, 100, 2}}}, {{SimTime{}, {0, 50, 2}}}};
  return {tracks, {{{{10, 10, 0}, {30, 60, 8}}, 1, 0.3}}};
}

TEST(TrajectoryPhysics, SeesWallsComeAndGo) {
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

}  // namespace
}  // namespace hilgate::test
