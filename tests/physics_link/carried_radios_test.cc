// SPDX-License-Identifier: Apache-2.0
#include "physics_link/carried_radios.h"

#include <gtest/gtest.h>

namespace hilgate::test {
namespace {

// Bodies 0, 1 and 2 carry 2, 1 and 2 radios.
Scene three_bodies() {
  Scene scene;
  scene.at = SimTime{std::chrono::milliseconds(7)};
  for (const double east : {10.0, 20.0, 30.0}) {
    scene.robots.push_back({.position = {east, 0, 1}, .orientation = {}});
  }
  scene.robots[2].oriented = true;
  scene.robots[1].placed = false;
  scene.sights = Sights(pair_count(3));
  scene.sights[pair_index(RobotIndex{0}, RobotIndex{2})] = {
      .line_of_sight = false, .walls = {{.material = 4, .thickness_m = 0.2, .incidence_rad = 0}}, .paths = {}};
  return scene;
}

TEST(RadioScene, RadiosHaveThePoseOfTheirBody) {
  Scene scene = three_bodies();
  RadioScene({0, 0, 1, 2, 2}).spread(scene);
  ASSERT_EQ(scene.robots.size(), 5U);
  EXPECT_EQ(scene.at, SimTime{std::chrono::milliseconds(7)});
  const double east[] = {10, 10, 20, 30, 30};
  for (std::size_t radio = 0; radio < scene.robots.size(); ++radio) {
    EXPECT_EQ(scene.robots[radio].position.x, east[radio]);
    EXPECT_EQ(scene.robots[radio].oriented, radio >= 3);
    EXPECT_EQ(scene.robots[radio].placed, radio != 2);
  }
}

TEST(RadioScene, RadiosHaveTheSightOfTheirBodies) {
  RadioScene radios({0, 0, 1, 2, 2});
  for (int step = 0; step < 2; ++step) {  // storage of the step before is used again
    Scene scene = three_bodies();
    radios.spread(scene);
    ASSERT_EQ(scene.sights.size(), pair_count(5));
    for (std::uint32_t a = 0; a < 5; ++a) {
      for (std::uint32_t b = a + 1; b < 5; ++b) {
        const bool behind_the_wall = a < 2 && b >= 3;
        EXPECT_EQ(scene.between(RobotIndex{a}, RobotIndex{b}).line_of_sight, !behind_the_wall) << a << " " << b;
        EXPECT_EQ(scene.between(RobotIndex{a}, RobotIndex{b}).walls.size(), behind_the_wall ? 1U : 0U);
      }
    }
  }
}

TEST(RadioScene, ASceneOfOtherBodiesStays) {
  Scene scene = three_bodies();
  scene.robots.pop_back();
  RadioScene({0, 0, 1, 2, 2}).spread(scene);
  EXPECT_EQ(scene.robots.size(), 2U);
}

}  // namespace
}  // namespace hilgate::test
