// SPDX-License-Identifier: Apache-2.0
#include "physics_link/obstacles.h"

#include <gtest/gtest.h>

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

// Says what the test has it say.
class SaidPhysics final : public PhysicsSimulator {
 public:
  explicit SaidPhysics(const Scene& scene) : scene_(scene) {}
  void open(Listener listener) override {
    listener_ = std::move(listener);
    listener_.ready();
  }
  void begin(const PhysicsQuestion&) override {
    PhysicsAnswer answer{.has_scene = true, .scene = scene_};
    listener_.ended(answer);
  }
  void close() override {}

 private:
  Scene scene_;
  Listener listener_;
};

// Of robots at 0 and 100 m, with a wall from 40 to 60 m where `across`.
Sight seen(const Sight& said, bool across) {
  Scene scene;
  scene.robots = {{.position = {0, 0, 1}, .orientation = {}}, {.position = {100, 0, 1}, .orientation = {}}};
  scene.sights = {said};
  const double y = across ? -10 : 10;
  ObstructedPhysics physics(std::make_unique<SaidPhysics>(scene),
                            {Obstacle{.box = {{40, y, 0}, {60, y + 20, 10}}, .material = 3, .wall_m = {}}});
  Sight result;
  physics.open({.ready = [] {},
                .ended = [&result](PhysicsAnswer& answer) { result = answer.scene.sights[0]; },
                .failed = [](const std::string&) {}});
  physics.begin({.step = {.window = 0, .number = 0, .from = SimTime{}, .length = 1ms}});
  return result;
}

TEST(ObstructedPhysics, ObstaclesOnTheLineAreWalls) {
  const Sight blocked = seen({}, true);
  EXPECT_FALSE(blocked.line_of_sight);
  ASSERT_EQ(blocked.walls.size(), 1U);
  EXPECT_EQ(blocked.walls[0].material, 3U);
  EXPECT_DOUBLE_EQ(blocked.walls[0].thickness_m, 20);
  const Sight clear = seen({}, false);
  EXPECT_TRUE(clear.line_of_sight);
  EXPECT_TRUE(clear.walls.empty());
}

TEST(ObstructedPhysics, LinksBlockedByPhysicsStayBlocked) {
  EXPECT_FALSE(seen({.line_of_sight = false, .walls = {}, .paths = {}}, false).line_of_sight);
}

TEST(ObstructedPhysics, PathsWithLossesHoldAndGeometryGivesWay) {
  const Path geometry = {{{0, 0, 1}, 0}, {{100, 0, 1}, 0}};
  const Path traced = {{{0, 0, 1}, 0}, {{50, 50, 1}, 6}, {{100, 0, 1}, 0}};
  const Sight walled = seen({.line_of_sight = true, .walls = {}, .paths = {geometry}}, true);
  EXPECT_EQ(walled.walls.size(), 1U);
  EXPECT_TRUE(walled.paths.empty());
  const Sight reflected = seen({.line_of_sight = true, .walls = {}, .paths = {geometry, traced}}, true);
  EXPECT_TRUE(reflected.walls.empty());
  EXPECT_EQ(reflected.paths.size(), 2U);
  EXPECT_EQ(seen({.line_of_sight = true, .walls = {}, .paths = {geometry}}, false).paths.size(), 1U);
}

}  // namespace
}  // namespace hilgate::test
