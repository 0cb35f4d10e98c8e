// SPDX-License-Identifier: Apache-2.0
#include "physics_link/ros2/ros2_poses.h"

#include <gtest/gtest.h>

#include <limits>

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

TEST_F(Ros2PosesTest, CountsAndLeavesOutWhatHasNoNumbers) {
  take(poses, pose(1));
  for (const double wrong : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 1e9}) {
    take(poses, pose(wrong));
  }
  Ros2Pose turned = pose(2);
  turned.turned.x = std::numeric_limits<double>::quiet_NaN();
  take(poses, turned);
  EXPECT_EQ(source().malformed, 4U);
  EXPECT_EQ(poses.counters().malformed, 4U);
  EXPECT_EQ(second_robot(poses).position.x, 1);
  EXPECT_TRUE(source().refused);
}

TEST_F(Ros2PosesTest, CountsAndLeavesOutWhatIsOfTheFutureOrOld) {
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

TEST_F(Ros2PosesTest, CountsLinesThatAreNone) {
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

TEST(Ros2Poses, TellWhatTheClockShows) {
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
