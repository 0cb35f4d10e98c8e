// SPDX-License-Identifier: Apache-2.0
#include "physics_link/ros2/transform_tree.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "physics_link/place.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

TEST(TransformTree, FollowsTheParentsToTheFixedFrame) {
  TransformTree tree("map");
  EXPECT_FALSE(tree.find("red/base_link"));
  const UnixTime now{100s};
  tree.set("red/base_link", {.parent = "red/odom", .translation = {1, 0, 0}, .rotation = {}, .stamp = now});
  EXPECT_FALSE(tree.find("red/base_link")) << "odom has no place yet";
  tree.set("red/odom", {.parent = "map",
                        .translation = {10, 20, 0},
                        .rotation = from_rpy(0, 0, std::numbers::pi / 2),
                        .stamp = now + 1s});
  tree.set("red/antenna", {.parent = "red/base_link", .translation = {0, 0, 0.5}, .rotation = {}, .stamp = {}});
  const auto found = tree.find("red/antenna");
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->at.x, 10, 1e-12);
  EXPECT_NEAR(found->at.y, 21, 1e-12) << "odom is turned to the left";
  EXPECT_NEAR(found->at.z, 0.5, 1e-12);
  EXPECT_NEAR(found->turned.z, std::sqrt(0.5), 1e-12);
  EXPECT_EQ(found->stamp, now) << "of the oldest that is not static";
  EXPECT_FALSE(tree.find("map")->stamp);
}

TEST(TransformTree, RefusesInvalidRotations) {
  TransformTree tree("map");
  tree.set("odom", {.parent = "map", .translation = {}, .rotation = {.w = std::nan("")}, .stamp = {}});
  tree.set("base", {.parent = "odom", .translation = {1, 0, 0}, .rotation = {}, .stamp = {}});
  EXPECT_TRUE(std::isnan(tree.find("base")->at.x));
}

TEST(TransformTree, EndsWhereFramesAreEachOthersParents) {
  TransformTree tree("map");
  tree.set("a", {.parent = "b", .translation = {}, .rotation = {}, .stamp = {}});
  tree.set("b", {.parent = "a", .translation = {}, .rotation = {}, .stamp = {}});
  EXPECT_FALSE(tree.find("a"));
}

TEST(TransformTree, RemembersSoManyFramesAndNoMore) {
  TransformTree tree("map");
  for (std::size_t i = 0; i <= TransformTree::kMostFrames; ++i) {
    tree.set(std::to_string(i), {.parent = "map", .translation = {}, .rotation = {}, .stamp = {}});
  }
  EXPECT_FALSE(tree.find(std::to_string(TransformTree::kMostFrames)));
  tree.set("0", {.parent = "map", .translation = {1, 2, 3}, .rotation = {.w = 2}, .stamp = {}});
  EXPECT_EQ(tree.find("0")->at, (Vec3{1, 2, 3})) << "known ones go on";
}

}  // namespace
}  // namespace hilgate::test
