// SPDX-License-Identifier: Apache-2.0
// The byte strings were made by libprotoc 3.21.12 from the reference schema (ros-net-sim e957c18).
#include "physics_link/rosnetsim/rosnetsim_physics.h"

#include <limits>

#include <gtest/gtest.h>

#include "physics_link/rosnetsim/rosnetsim_physics.pb.h"
#include "tests/hex.h"

namespace hilgate::rosnetsim {
namespace {

using test::from_hex;
using test::to_hex;

constexpr std::string_view kChannels =
    "0a38000000000000f03f00000000000000400000000000000840000000000000f03f0000000000000000000000000000000000000000000000"
    "00"
    "12490a0201021a01022240000000000000f03f0000000000000040000000000000084000000000000000000000000000001040000000000000"
    "14"
    "4000000000000018400000000000000000";
constexpr std::string_view kChannelsWithLos =
    "0a38000000000000f03f00000000000000400000000000000840000000000000f03f0000000000000000000000000000000000000000000000"
    "00"
    "124b0a02010210011a01022240000000000000f03f000000000000004000000000000008400000000000000000000000000000104000000000"
    "00"
    "00144000000000000018400000000000000000";

std::string encoded(const PhysicsUpdate& update) {
  std::string plain;
  encode(update, plain);
  return to_hex(plain);
}

Scene two_robots() {
  Scene scene;
  scene.robots = {{.position = {1, 2, 3}, .orientation = {}}, {.position = {4, 5, 6}, .orientation = {}}};
  scene.sights.resize(1);
  return scene;
}

TEST(RosNetSimPhysics, WritesTheGoldenUpdates) {
  EXPECT_EQ(encoded({}), "");
  EXPECT_EQ(encoded({.window = 7}), "1007");
  EXPECT_EQ(encoded({.end = true, .window = 7, .channel_data = "AB"}), "080110071a024142");
}

TEST(RosNetSimPhysics, ReadsTheGoldenUpdates) {
  PhysicsUpdate update{.end = true, .window = 9, .channel_data = "old"};
  ASSERT_FALSE(decode("", update));
  EXPECT_FALSE(update.end);
  EXPECT_EQ(update.window, 0U);
  EXPECT_EQ(update.channel_data, "");
  ASSERT_FALSE(decode(from_hex("080110071a024142"), update));
  EXPECT_TRUE(update.end);
  EXPECT_EQ(update.window, 7U);
  EXPECT_EQ(update.channel_data, "AB");
}

TEST(RosNetSimPhysics, OfTooManyNodesTheFirstCount) {
  wire::rosnetsim::ChannelData channels;
  for (int node = 0; node < 5000; ++node) {
    for (const double number : {node + 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0}) {
      channels.add_node_list(number);
    }
  }
  Scene scene;
  const MaybeFault fault = decode_channels(channels.SerializeAsString(), 2, SightRule::kTwoHops, scene);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->detail, "node_list has 35000 numbers; 2 robots need 14");
  ASSERT_EQ(scene.robots.size(), 2U);
  EXPECT_EQ(scene.robots[1].position, (Vec3{2, 0, 0}));
}

TEST(RosNetSimPhysics, ReadsTheGoldenChannelsThatNameOneNodeForTwo) {
  Scene scene;
  const MaybeFault fault = decode_channels(from_hex(kChannels), 2, SightRule::kTwoHops, scene);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->error, ProtocolError::kUnequalArrays);
  EXPECT_EQ(fault->detail, "node_list has 7 numbers; 2 robots need 14");
  EXPECT_EQ(scene.robots[0].position, (Vec3{1, 2, 3}));
  EXPECT_EQ(scene.robots[0].orientation, (Quaternion{1, 0, 0, 0}));
  const Sight& sight = scene.between(RobotIndex{0}, RobotIndex{1});
  EXPECT_TRUE(sight.line_of_sight) << "two hops: nothing in between";
  ASSERT_EQ(sight.paths.size(), 1U);
  ASSERT_EQ(sight.paths[0].size(), 2U);
  EXPECT_EQ(sight.paths[0][1].at, (Vec3{4, 5, 6}));
}

TEST(RosNetSimPhysics, TheSightRuleDecidesWhichFieldCounts) {
  Scene scene;
  (void)decode_channels(from_hex(kChannels), 2, SightRule::kLosField, scene);
  EXPECT_FALSE(scene.sights[0].line_of_sight);
  (void)decode_channels(from_hex(kChannelsWithLos), 2, SightRule::kLosField, scene);
  EXPECT_TRUE(scene.sights[0].line_of_sight);
}

TEST(RosNetSimPhysics, WritesTheGoldenChannelsByteForByte) {
  // The golden message has one node and one pair; ours always has all nodes, so the pair's part is compared.
  std::string plain;
  encode_channels(two_robots(), plain);
  EXPECT_EQ(to_hex(plain).substr(2 * (2 + 14 * 8)), std::string(kChannelsWithLos).substr(2 * (2 + 7 * 8)));
}

TEST(RosNetSimPhysics, SceneRoundTripsThroughItsOwnMessage) {
  Scene scene = two_robots();
  scene.robots[1].orientation = {0.5, 0.5, -0.5, 0.5};
  scene.sights[0].line_of_sight = false;
  scene.sights[0].paths = {{{{1, 2, 3}, 0}, {{2, 3, 4}, 7.5}, {{4, 5, 6}, 0}}, {}};
  std::string plain;
  encode_channels(scene, plain);
  Scene back;
  ASSERT_FALSE(decode_channels(plain, 2, SightRule::kTwoHops, back));
  EXPECT_EQ(back.robots[1].orientation, scene.robots[1].orientation);
  EXPECT_FALSE(back.sights[0].line_of_sight);
  ASSERT_EQ(back.sights[0].paths.size(), 1U) << "a path without points is none";
  EXPECT_EQ(back.sights[0].paths[0][1].loss_db, 7.5);
}

TEST(RosNetSimPhysics, BlockedPairsWithoutPathsAreMarkedInTheirHops) {
  Scene scene = two_robots();
  scene.sights[0].line_of_sight = false;
  std::string plain;
  encode_channels(scene, plain);
  Scene back;
  ASSERT_FALSE(decode_channels(plain, 2, SightRule::kTwoHops, back));
  EXPECT_FALSE(back.sights[0].line_of_sight);
}

TEST(RosNetSimPhysics, ReadsRepeatedFieldsThatAreNotPacked) {
  Scene scene;
  // node_list as seven fields of their own (tag 09), then nothing else.
  std::string plain;
  for (int i = 0; i < 7; ++i) {
    plain += from_hex(i == 3 ? "09000000000000f03f" : "090000000000000840");
  }
  ASSERT_FALSE(decode_channels(plain, 1, SightRule::kTwoHops, scene));
  EXPECT_EQ(scene.robots[0].position, (Vec3{3, 3, 3}));
  EXPECT_EQ(scene.robots[0].orientation.w, 1);
}

TEST(RosNetSimPhysics, ReportsFaultsAndKeepsTheRest) {
  wire::rosnetsim::ChannelData message;
  for (int i = 0; i < 14; ++i) {
    message.add_node_list(i == 9 ? std::numeric_limits<double>::quiet_NaN() : 1.0);
  }
  auto& details = *message.add_path_details();
  details.add_ids(1);
  details.add_ids(3);
  Scene scene;
  MaybeFault fault = decode_channels(message.SerializeAsString(), 2, SightRule::kTwoHops, scene);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->detail, "node 2 has a pose that is not a number");
  EXPECT_EQ(scene.robots[0].position, (Vec3{1, 1, 1}));
  message.set_node_list(9, 1.0);
  fault = decode_channels(message.SerializeAsString(), 2, SightRule::kTwoHops, scene);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->detail, "path_details between nodes 1 and 3; they must be two of 1..2");
  details.set_ids(1, 2);
  details.add_num_hops(4'000'000'000U);
  fault = decode_channels(message.SerializeAsString(), 2, SightRule::kTwoHops, scene);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->error, ProtocolError::kUnequalArrays);
  details.set_num_hops(0, 2);
  for (int i = 0; i < 8; ++i) {
    details.add_hop_points(std::numeric_limits<double>::quiet_NaN());
  }
  fault = decode_channels(message.SerializeAsString(), 2, SightRule::kTwoHops, scene);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->error, ProtocolError::kBadValue);
  EXPECT_TRUE(scene.between(RobotIndex{0}, RobotIndex{1}).paths.empty());
}

TEST(RosNetSimPhysics, GarbageIsNoMessage) {
  PhysicsUpdate update;
  ASSERT_TRUE(decode(from_hex("1a05aa"), update));
  Scene scene;
  ASSERT_TRUE(decode_channels(from_hex("0a03aabbcc"), 2, SightRule::kTwoHops, scene));
}

}  // namespace
}  // namespace hilgate::rosnetsim
