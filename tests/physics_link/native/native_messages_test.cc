// SPDX-License-Identifier: Apache-2.0
#include "physics_link/native/native_protocol.h"

#include <gtest/gtest.h>

#include "physics_link/native/native.pb.h"

namespace hilgate::native {
namespace {

using namespace std::chrono_literals;

TEST(Native, HelloIsCompleteAndChecked) {
  const Hello hello{.role = Role::kPhysics, .name = "gz", .step = 1ms, .robots = {"red", "blue"}};
  std::string body;
  encode(hello, body);
  EXPECT_EQ(kind_of(body), Kind::kHello);
  Hello back;
  ASSERT_FALSE(decode(body, back));
  EXPECT_EQ(back.name, "gz");
  EXPECT_EQ(back.step, 1ms);
  EXPECT_EQ(back.robots, hello.robots);
  EXPECT_FALSE(check_hello(back, Role::kPhysics));
  EXPECT_EQ(check_hello(back, Role::kNetwork)->detail, "'gz' is a physics simulator; expected a network simulator");
  back.version = 9;
  EXPECT_EQ(check_hello(back, Role::kPhysics)->detail,
            "'gz' uses version 9 of the native protocol; this program uses 1");
}

// Text is not protobuf, whatever it looks like: "drone" and "scout" begin as groups do.
TEST(Native, RobotsMayHaveAnyName) {
  Hello hello{.step = 1ms};
  for (char first = ' '; first <= '~'; ++first) {
    hello.robots.push_back(std::string(1, first) + "rone");
  }
  std::string body;
  encode(hello, body);
  EXPECT_FALSE(check_parts(body, hello.robots.size()));
  Hello back;
  EXPECT_FALSE(decode(body, back));
  EXPECT_EQ(back.robots, hello.robots);
}

TEST(Native, BeginAndEndCarryWindowAndTime) {
  std::string body;
  encode(PhysicsBegin{.window = 1ULL << 40, .start = SimTime{123456789ns}, .length = 1ms}, body);
  EXPECT_EQ(kind_of(body), Kind::kBegin);
  PhysicsBegin begin;
  ASSERT_FALSE(decode(body, begin));
  EXPECT_EQ(begin.window, 1ULL << 40);
  EXPECT_EQ(begin.start, SimTime{123456789ns});
  EXPECT_EQ(begin.length, 1ms);
}

TEST(Native, SceneRoundTrips) {
  Scene scene;
  scene.at = SimTime{5ms};
  scene.robots = {{.position = {1, 2, 3}, .orientation = {}}, {.position = {-4, 5, 6}, .orientation = {0, 1, 0, 0}}};
  scene.sights.resize(1);
  scene.sights[0].line_of_sight = false;
  scene.sights[0].paths = {{{{1, 1, 1}, 20.5}}};
  std::string body;
  encode_physics_end(3, &scene, body);
  PhysicsEnd end;
  Scene back;
  ASSERT_FALSE(decode(body, 2, end, back));
  EXPECT_EQ(end.window, 3U);
  EXPECT_TRUE(end.has_scene);
  EXPECT_EQ(back.at, scene.at);
  EXPECT_EQ(back.robots[1].position, scene.robots[1].position);
  EXPECT_EQ(back.robots[1].orientation, scene.robots[1].orientation);
  EXPECT_FALSE(back.sights[0].line_of_sight);
  EXPECT_EQ(back.sights[0].paths[0][0].loss_db, 20.5);
}

TEST(Native, ExternalPhysicsHasNoWalls) {
  Scene scene;
  scene.robots.resize(2);
  scene.sights.resize(1);
  scene.sights[0].line_of_sight = false;
  scene.sights[0].walls = {{.material = 4711, .thickness_m = 1, .incidence_rad = 0}};
  std::string body;
  encode_physics_end(3, &scene, body);
  PhysicsEnd end;
  Scene back;
  ASSERT_FALSE(decode(body, 2, end, back));
  EXPECT_TRUE(back.sights[0].walls.empty()) << "the gateway has no such material";
}

TEST(Native, AnEndWithoutASceneLeavesTheSceneAlone) {
  std::string body;
  encode_physics_end(0, nullptr, body);
  PhysicsEnd end;
  Scene scene;
  scene.robots.resize(7);
  ASSERT_FALSE(decode(body, 2, end, scene));
  EXPECT_FALSE(end.has_scene);
  EXPECT_EQ(scene.robots.size(), 7U);
}

TEST(Native, WrongNumbersOfRobotsAreSaid) {
  Scene scene;
  scene.robots.resize(3);
  scene.sights.resize(3);
  scene.sights[2].line_of_sight = false;
  std::string body;
  encode_physics_end(0, &scene, body);
  PhysicsEnd end;
  const MaybeFault fault = decode(body, 2, end, scene);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->detail, "line of sight between robots 1 and 2; robots are 0..1");
  EXPECT_EQ(scene.robots.size(), 2U);
}

TEST(Native, CloseHasItsReason) {
  std::string body;
  encode_close("finished", body);
  EXPECT_EQ(kind_of(body), Kind::kClose);
  std::string why;
  ASSERT_FALSE(decode_close(body, why));
  EXPECT_EQ(why, "finished");
}

TEST(Native, OtherMessagesAreFaults) {
  EXPECT_EQ(kind_of(""), Kind::kNone);
  EXPECT_EQ(kind_of("garbage"), Kind::kNone);
  std::string body;
  encode_close("", body);
  Hello hello;
  EXPECT_EQ(decode(body, hello)->detail, "invalid hello message of 2 bytes");
  PhysicsBegin begin;
  EXPECT_TRUE(decode("\x12\x7f", begin));
}

}  // namespace
}  // namespace hilgate::native
