// SPDX-License-Identifier: Apache-2.0
// Decoders against what the reference senders write.
#include "physics_link/feeds/position_formats.h"

#include <cmath>
#include <cstring>
#include <fstream>

#include <gtest/gtest.h>

#include "physics_link/feeds/avens_physics.h"
#include "tests/loop.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

TEST(Cornet2, ReadsEveryVariantOfItsSenders) {
  for (const char* text : {R"(set.robot1.setPosition("3,-4,0"))", R"(set.robot1.setPosition("'3,-4,0'"))",
                           R"(set.robot1.setPosition("3.0, -4.0, 0.0"))", R"(set.robot1.setPosition('3,-4,0'))"}) {
    const Cornet2Command command = parse_cornet2(text);
    ASSERT_TRUE(command.position) << text;
    EXPECT_EQ(command.position->robot, "robot1");
    EXPECT_EQ(command.position->at, (Vec3{3, -4, 0}));
    EXPECT_EQ(command.reply, "command accepted!");
  }
}

TEST(Cornet2, AnswersOtherCommandsAsMininetWifiDoes) {
  for (const char* text : {"", "get.robot1.position", "set.robot1.setRange(\"3\")", "set.robot1.setPosition(\"1,2\")",
                           "set.robot1.setPosition(\"1,2,3,4\")", "set.robot1.setPosition(\"1,2,nan\")",
                           "set.robot1.setPosition(\"1,2,3\"", "set..setPosition(\"1,2,3\")"}) {
    const Cornet2Command command = parse_cornet2(text);
    EXPECT_FALSE(command.position) << text;
    EXPECT_EQ(command.reply, "unrecognized method!");
  }
}

TEST(Cornet2026, ReadsPositionsAndTakesMissingCoordinatesForZero) {
  const auto position = parse_cornet_position(R"({"name": "drone", "x": 1.5, "z": 2})");
  ASSERT_TRUE(position);
  EXPECT_EQ(position->robot, "drone");
  EXPECT_EQ(position->at, (Vec3{1.5, 0, 2}));
  for (const char* bad : {"", "{", "[]", R"({"x": 1})", R"({"name": 3})", R"({"name": "a", "x": "1"})"}) {
    EXPECT_FALSE(parse_cornet_position(bad)) << bad;
  }
}

TEST(Cornet2026, ReadsTheClock) {
  EXPECT_EQ(parse_cornet_clock(R"({"t": 12.345678})"), SimTime{12'345'678us});
  EXPECT_EQ(parse_cornet_clock(R"({"t": 0})"), SimTime{});
  for (const char* bad : {"", "{}", R"({"t": "1"})", R"({"t": -1})", R"({"t": 1e300})"}) {
    EXPECT_FALSE(parse_cornet_clock(bad)) << bad;
  }
}

TEST(FlyNetSim, ReadsLocationsOnly) {
  const auto position = parse_flynetsim("@@@U_007***DISTANCE***12.5***-3***");
  ASSERT_TRUE(position);
  EXPECT_EQ(position->robot, "007");
  EXPECT_EQ(position->at, (Vec3{12.5, -3, 0}));
  for (const char* other : {"", "@@@G_007***DISTANCE***1***2***", "@@@U_007***15***1541.2***TELEMETRY#x***", "@@@U_0",
                            "@@@U_007***DISTANCE***x***2***"}) {
    EXPECT_FALSE(parse_flynetsim(other)) << other;
  }
}

constexpr const char* kAvens = R"(<?xml version="1.0"?>
<plugin><Read_by_Xplane>1</Read_by_Xplane>
<FANET><Aircraft XPosition="10.5" YPosition="20" ZPosition="30"/>
<Aircraft XPosition="-1" YPosition="-2" ZPosition="-3"/>
</FANET><Coord_References Latitude="-22.0" Longitude="-47.9" Elevation="850"/></plugin>)";

TEST(Avens, ReadsTheFileOfItsPlugIn) {
  const auto positions = parse_avens(kAvens);
  ASSERT_TRUE(positions);
  ASSERT_EQ(positions->size(), 2U);
  EXPECT_EQ((*positions)[0].at, (Vec3{10.5, 20, 30}));
  EXPECT_EQ((*positions)[1].robot, "1");
  for (const char* bad : {"", "<a>", "<plugin/>"}) {
    EXPECT_FALSE(parse_avens(bad)) << bad;
  }
  EXPECT_TRUE(std::isnan((*parse_avens("<FANET><Aircraft XPosition=\"1\"/></FANET>"))[0].at.y));
}

TEST(Avens, FollowsTheFileAsItChanges) {
  const TempDir dir;
  AvensPhysics physics(dir.file("pluginInterface.xml"), 2);
  Scene scene;
  physics.scene_at(SimTime{}, scene);
  EXPECT_EQ(scene.robots[0].position, Vec3{}) << "there is no file yet";
  std::ofstream(dir.file("pluginInterface.xml")) << "<plugin><FANET><Air";
  physics.scene_at(SimTime{1ms}, scene);
  EXPECT_EQ(physics.counters().malformed, 1U) << "half a file";
  std::ofstream(dir.file("pluginInterface.xml")) << kAvens;
  physics.scene_at(SimTime{2ms}, scene);
  EXPECT_EQ(scene.robots[1].position, (Vec3{-1, -2, -3}));
  EXPECT_EQ(scene.at, SimTime{2ms});
}

template <class T>
void put(std::string& datagram, std::size_t at, T value) {
  std::memcpy(datagram.data() + at, &value, sizeof value);
}

TEST(RoboNetSim, ReadsItsStructsByTheirMemoryLayout) {
  std::string datagram(24 + 2 * 32, '\0');
  put<std::int32_t>(datagram, 0, 3);
  put(datagram, 8, 0.5);
  put<std::int32_t>(datagram, 16, 2);
  put<std::int32_t>(datagram, 24 + 32, 1);
  put(datagram, 24 + 32 + 8, 7.0);
  put(datagram, 24 + 32 + 24, 9.0);
  const auto positions = robonetsim::decode_positions(datagram);
  ASSERT_TRUE(positions);
  EXPECT_EQ(positions->timestamp_s, 0.5);
  ASSERT_EQ(positions->nodes.size(), 2U);
  EXPECT_EQ(positions->nodes[1].robot, "1");
  EXPECT_EQ(positions->nodes[1].at, (Vec3{7, 0, 9}));
  EXPECT_EQ(robonetsim::decode_positions(datagram.substr(0, 60))->nodes.size(), 1U) << "cut short";
  put<std::int32_t>(datagram, 16, -5);
  EXPECT_EQ(robonetsim::decode_positions(datagram)->nodes.size(), 0U);
  EXPECT_FALSE(robonetsim::decode_positions("xx"));
  EXPECT_FALSE(robonetsim::type_of(std::string(4, '\x7f')));
  EXPECT_EQ(robonetsim::network_sim_info("hilgate").size(), 56U);
}

}  // namespace
}  // namespace hilgate::test
