// SPDX-License-Identifier: Apache-2.0
#include "physics_link/ros2/ros2_poses.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "physics_link/ros2/px4_pose.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr UnixTime kNow{1'800'000'000s};

Ros2Pose pose(double x, UnixTime stamp = kNow) {
  return {.robot = RobotIndex{1}, .stamp = stamp, .at = {x, -2.5, 1e-3}, .turned = {.w = 0.5, .z = 0.25}};
}

void take(Ros2Poses& poses, const Ros2Pose& what, UnixTime now = kNow) {
  std::string line = line_of(what);
  line.pop_back();
  poses.take(line, now);
}

Pose second_robot(Ros2Poses& poses) {
  Scene scene;
  poses.scene_at(SimTime{}, scene);
  return scene.robots[1];
}

class Ros2PosesTest : public testing::Test {
 protected:
  Ros2Poses poses{{"red", "blue"}, {.topics = {"/red/pose", "/blue/pose"}, .stale = 500ms}};
  [[nodiscard]] const FeedSource& source() const { return poses.sources()[1]; }
};

TEST_F(Ros2PosesTest, MovesARobot) {
  take(poses, pose(3.25));
  EXPECT_EQ(second_robot(poses).position, (Vec3{3.25, -2.5, 1e-3}));
  EXPECT_EQ(second_robot(poses).orientation, (Quaternion{.w = 0.5, .z = 0.25}));
  EXPECT_TRUE(second_robot(poses).oriented);
  EXPECT_EQ(source().positions, 1U);
  EXPECT_EQ(source().name, "/blue/pose");
  EXPECT_TRUE(poses.heard(RobotIndex{1}));
  EXPECT_FALSE(poses.heard(RobotIndex{0}));
}

TEST_F(Ros2PosesTest, APlaceWithoutAnOrientationIsAPlace) {
  Ros2Pose turned = pose(2);
  turned.turned = {.w = std::numeric_limits<double>::quiet_NaN()};
  take(poses, turned);
  EXPECT_EQ(source().malformed, 0U);
  EXPECT_EQ(second_robot(poses).position.x, 2);
  EXPECT_FALSE(second_robot(poses).oriented) << "as with four zeros";
}

std::string fix_line(double lat, double lon, double alt, UnixTime stamp = kNow) {
  std::string line = line_of(Ros2Fix{RobotIndex{1}, stamp, {lat, lon, alt}});
  line.pop_back();
  return line;
}

TEST_F(Ros2PosesTest, PlacesOnTheEarthAreMetresFromTheFirst) {
  poses.take(fix_line(91, 8, 400), kNow);
  EXPECT_EQ(source().malformed, 1U);
  poses.take(fix_line(46, 8, 400, kNow - 1h), kNow);
  EXPECT_EQ(source().old, 1U) << "and it is no origin";
  poses.take(fix_line(47, 8, 400), kNow);
  EXPECT_NEAR(second_robot(poses).position.x, 0, 1e-6);
  EXPECT_NEAR(second_robot(poses).position.z, 0, 1e-6);
  poses.take(fix_line(47.001, 8, 410), kNow);
  EXPECT_NEAR(second_robot(poses).position.y, 111.17, 0.02) << "a thousandth of a degree to the north";
  EXPECT_NEAR(second_robot(poses).position.z, 10, 1e-2);
  poses.take(fix_line(47.002, 8, std::numeric_limits<double>::quiet_NaN()), kNow);
  EXPECT_NEAR(second_robot(poses).position.y, 222.35, 0.05) << "a fix in two dimensions";
  EXPECT_NEAR(second_robot(poses).position.z, 0, 1e-2);
  EXPECT_EQ(source().positions, 3U);
  EXPECT_EQ(source().malformed, 1U);
}

TEST(Ros2Origin, IsThatOfTheConfiguration) {
  Ros2Poses poses{{"red", "blue"}, {.topics = {"/a", "/b"}, .origin = mavlink::Geodetic{47, 8, 0}}};
  poses.take(fix_line(47, 8.001, 30), kNow);
  EXPECT_NEAR(second_robot(poses).position.x, 76.06, 0.02);
  EXPECT_NEAR(second_robot(poses).position.z, 30, 1e-2);
}

// As px4_ros_com's frame_transforms has it.
TEST(Px4Pose, BecomesEastNorthUp) {
  Ros2Pose pose;
  from_px4(Px4Frame::kNed, {10, 20, -30}, {1, 0, 0, 0}, pose);
  EXPECT_EQ(pose.at, (Vec3{20, 10, 30}));
  const Vec3 north = rotate(pose.turned, {1, 0, 0});
  EXPECT_NEAR(north.y, 1, 1e-6) << "heading 0 is north, which is y";
  EXPECT_NEAR(rotate(pose.turned, {0, 0, 1}).z, 1, 1e-6) << "upright";
  EXPECT_NEAR(rotate(pose.turned, {0, 1, 0}).x, -1, 1e-6) << "its left is west";
  const auto quarter = static_cast<float>(std::sqrt(0.5));
  from_px4(Px4Frame::kNed, {0, 0, 0}, {quarter, 0, 0, quarter}, pose);
  EXPECT_NEAR(rotate(pose.turned, {1, 0, 0}).x, 1, 1e-6) << "a quarter turn to the right heads east";

  from_px4(Px4Frame::kFrd, {10, 20, -30}, {quarter, 0, 0, quarter}, pose);
  EXPECT_EQ(pose.at, (Vec3{10, -20, 30}));
  EXPECT_NEAR(rotate(pose.turned, {1, 0, 0}).y, -1, 1e-6) << "to its right";
  from_px4(Px4Frame::kUnknown, {10, 20, -30}, {1, 0, 0, 0}, pose);
  EXPECT_TRUE(std::isnan(pose.at.x));
}

TEST(Px4Pose, AStampSinceItsStartIsOfNow) {
  EXPECT_EQ(px4_stamp(123'456'789, kNow), kNow);
  EXPECT_EQ(px4_stamp(0, kNow), kNow);
  EXPECT_EQ(px4_stamp(1'800'000'000'000'250, kNow), kNow + 250us);
}

TEST_F(Ros2PosesTest, CountsAndSkipsPosesWithoutNumbers) {
  take(poses, pose(1));
  for (const double wrong : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 1e9}) {
    take(poses, pose(wrong));
  }
  Ros2Pose turned = pose(2);
  turned.turned.x = std::numeric_limits<double>::infinity();
  take(poses, turned);
  EXPECT_EQ(source().malformed, 4U);
  EXPECT_EQ(poses.counters().malformed, 4U);
  EXPECT_EQ(second_robot(poses).position.x, 1);
  EXPECT_TRUE(source().refused);
}

TEST_F(Ros2PosesTest, CountsAndSkipsFutureAndOldPoses) {
  take(poses, pose(1, kNow + Ros2Poses::kMostAhead));
  EXPECT_EQ(second_robot(poses).position.x, 1) << "clocks differ a little";
  take(poses, pose(2, kNow + Ros2Poses::kMostAhead + 1ns));
  EXPECT_EQ(source().future, 1U);
  take(poses, pose(3, kNow));
  EXPECT_EQ(source().old, 1U) << "before the one that was taken";
  take(poses, pose(4, kNow + 1s), kNow + 1500ms);
  EXPECT_EQ(second_robot(poses).position.x, 4);
  take(poses, pose(5, kNow + 1s), kNow + 1501ms);
  EXPECT_EQ(source().old, 2U);
  EXPECT_EQ(second_robot(poses).position.x, 4);
}

TEST_F(Ros2PosesTest, TakesAnyStampWhereStampsAreIgnored) {
  Ros2Poses unstamped({"red", "blue"}, {.topics = {"/red/pose", "/blue/pose"}, .stamps = false});
  take(unstamped, pose(1, kNow + 1h));
  take(unstamped, pose(2, UnixTime{}));
  EXPECT_EQ(second_robot(unstamped).position.x, 2);
}

TEST_F(Ros2PosesTest, CountsInvalidLines) {
  for (const char* wrong :
       {"", "pose", "pose 1 0 0 0 0 1 0 0", "pose 1 0 0 0 0 1 0 0 0 0", "pose 2 0 0 0 0 1 0 0 0",
        "pose -1 0 0 0 0 1 0 0 0", "pose 1 0 0 0 0x 1 0 0 0", "place 1 0 0 0 0 1 0 0 0", "trouble 2 none"}) {
    const std::uint64_t before = poses.counters().malformed;
    poses.take(wrong, kNow);
    EXPECT_EQ(poses.counters().malformed, before + 1) << wrong;
  }
}

TEST_F(Ros2PosesTest, RemembersWhyNothingCanCome) {
  poses.take("trouble 1 /blue/pose has 1 publisher of std_msgs/msg/String", kNow);
  EXPECT_EQ(source().trouble, "/blue/pose has 1 publisher of std_msgs/msg/String");
  poses.take("trouble 1 ", kNow);
  EXPECT_EQ(source().trouble, "");
}

TEST(Ros2Poses, ReportTheClock) {
  Ros2Poses poses({"red", "blue"}, {});
  std::vector<SimTime> heard;
  poses.on_clock([&heard](SimTime at) { heard.push_back(at); });
  std::string line = line_of(Ros2Clock{1500ms});
  line.pop_back();
  poses.take(line, kNow);
  for (const char* wrong : {"clock -1", "clock 9223372036854775807", "clock", "clock 1 2", "clock x"}) {
    poses.take(wrong, kNow);
  }
  EXPECT_EQ(heard, std::vector<SimTime>{SimTime{1500ms}});
  EXPECT_EQ(poses.counters().malformed, 5U);
}

}  // namespace
}  // namespace hilgate::test
