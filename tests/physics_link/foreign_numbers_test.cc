// SPDX-License-Identifier: Apache-2.0
#include "physics_link/foreign_numbers.h"

#include <gtest/gtest.h>

#include "physics_link/dancers/dancers_protocol.h"
#include "physics_link/feeds/position_feed.h"
#include "physics_link/feeds/position_formats.h"
#include "physics_link/native/native.pb.h"
#include "physics_link/native/native_protocol.h"
#include "physics_link/rosnetsim/rosnetsim_physics.h"
#include "physics_link/rosnetsim/rosnetsim_physics.pb.h"

namespace hilgate::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kMost = std::numeric_limits<double>::max();
constexpr double kForeign[] = {kNan, kInfinite, -kInfinite, kMost, -kMost, 1e20, -1e20, 1.0001e8};

TEST(ForeignNumbers, PlacesAreWithinTheWorld) {
  EXPECT_TRUE(bounded_position({kWorldReach, -kWorldReach, 0}));
  for (const double far : kForeign) {
    EXPECT_FALSE(bounded_position({far, 0, 0})) << far;
    EXPECT_FALSE(bounded_position({0, far, 0})) << far;
    EXPECT_FALSE(bounded_position({0, 0, far})) << far;
    EXPECT_FALSE(bounded_pose({}, {.w = 1, .x = far})) << far;
  }
  EXPECT_EQ(bounded_pose({}, {.w = 0})->orientation, Quaternion{});
}

TEST(ForeignNumbers, TimesAndLevelsAreInRange) {
  EXPECT_EQ(bounded_time(-1), std::nullopt);
  EXPECT_EQ(bounded_time(std::numeric_limits<std::int64_t>::max()), std::nullopt);
  EXPECT_EQ(nearest_time(std::numeric_limits<std::int64_t>::min()), SimTime{});
  EXPECT_EQ(nearest_time(std::numeric_limits<std::int64_t>::max()), SimTime{kLongestRun});
  EXPECT_EQ(bounded_start(std::numeric_limits<std::uint64_t>::max(), Nanoseconds{7}),
            SimTime{Nanoseconds{kLongestRun.count() / 7 * 7}});
  EXPECT_EQ(bounded_time_of_seconds(kNan), std::nullopt);
  EXPECT_EQ(bounded_time_of_seconds(-1), std::nullopt);
  EXPECT_EQ(bounded_delay(-1), std::nullopt);
  EXPECT_EQ(bounded_decibels(kNan), std::nullopt);
  EXPECT_EQ(bounded_decibels(-kInfinite), -kMostDecibels);
}

TEST(ForeignNumbers, NoFeedMovesARobotOutOfTheWorld) {
  PositionFeed feed({"red"});
  ASSERT_TRUE(feed.move("red", {1, 2, 3}));
  for (const double far : kForeign) {
    EXPECT_FALSE(feed.move("red", {0, far, 0}));
  }
  const auto cornet = parse_cornet_position(R"({"name": "red", "x": 1.7e308, "y": 0, "z": 0})");
  ASSERT_TRUE(cornet);
  EXPECT_FALSE(feed.move(cornet->robot, cornet->at));
  Scene scene;
  feed.scene_at(SimTime{}, scene);
  EXPECT_EQ(scene.robots[0].position, (Vec3{1, 2, 3}));
}

TEST(ForeignNumbers, NoWireMovesARobotOutOfTheWorld) {
  for (const double far : kForeign) {
    Scene scene;
    scene.robots.resize(2);
    EXPECT_TRUE(dancers::place({{.agent = 0, .pose = {.position = {0, 0, far}, .orientation = {}}}}, scene));
    EXPECT_EQ(scene.robots[0].position, Vec3{});

    wire::native::Scene native_scene;
    native_scene.add_robots()->set_x(far);
    native_scene.add_robots()->set_x(5);
    EXPECT_TRUE(native::read_scene(native_scene, 2, scene));
    EXPECT_EQ(scene.robots[0].position, Vec3{});
    EXPECT_EQ(scene.robots[1].position, (Vec3{5, 0, 0}));

    wire::rosnetsim::ChannelData channels;
    for (const double number : {far, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 5.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0}) {
      channels.add_node_list(number);
    }
    EXPECT_TRUE(rosnetsim::decode_channels(channels.SerializeAsString(), 2, rosnetsim::SightRule::kTwoHops, scene));
    EXPECT_EQ(scene.robots[0].position, Vec3{});
    EXPECT_EQ(scene.robots[1].position, (Vec3{5, 0, 0}));
  }
}

TEST(ForeignNumbers, TracedPathsOutsideTheWorldAreLeftOut) {
  for (const double wrong : {kNan, kMost}) {
    wire::native::Scene message;
    message.add_robots();
    message.add_robots();
    auto& sight = *message.add_sights();
    sight.set_b(1);
    auto& path = *sight.add_paths();
    for (const double number : {0.0, wrong, 0.0, 30.0}) {
      path.add_points(number);
    }
    Scene scene;
    const MaybeFault fault = native::read_scene(message, 2, scene);
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->error, ProtocolError::kBadValue);
    EXPECT_TRUE(scene.sights[0].paths.empty());
  }
}

}  // namespace
}  // namespace hilgate::test
