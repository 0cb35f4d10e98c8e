// SPDX-License-Identifier: Apache-2.0
// What a configuration says of ROS 2.
#include <gmock/gmock.h>

#include "tests/gateway/configuration/config_fixture.h"

namespace hilgate::test {
namespace {

using testing::ElementsAre;

const std::string kRos2Robots =
    "name: t\nnetsim: {type: wire}\nports: {p: {interface: a}, q: {interface: b}, r: {interface: c}}\n"
    "robots: {red-1: {port: p}, blue: {port: q, id: cf2}, green: {port: r}}\n";

TEST(Ros2Configuration, SubscribesToMotionCaptureByDefault) {
  const Configuration config = read_yaml(
      kRos2Robots + "physics: {type: ros2, domain: 7, interface: eth1, poses: {green: {frame: green/base_link}}}");
  ASSERT_TRUE(config.ros2_input);
  const Ros2Input& input = *config.ros2_input;
  EXPECT_EQ(input.place.domain, 7U);
  EXPECT_EQ(input.place.interface, "eth1");
  ASSERT_EQ(input.sources.size(), 3U);
  EXPECT_EQ(input.sources[0].name, "/vrpn_mocap/red_1/pose");
  EXPECT_EQ(input.sources[1].name, "/vrpn_mocap/cf2/pose");
  EXPECT_EQ(input.sources[1].message, Ros2Message::kPoseStamped);
  EXPECT_EQ(input.sources[2].name, "green/base_link");
  EXPECT_EQ(input.sources[2].message, Ros2Message::kTransform);
  EXPECT_EQ(input.fixed_frame, "map");
  EXPECT_EQ(std::get<FeedConfig>(config.external_physics).sockets,
            std::vector<std::string>{"unix:/run/hilgate/t/ros2.sock"});
}

TEST(Ros2Configuration, ErrorsNameTheFault) {
  const auto faults = [](const std::string& keys) {
    return faults_in(kRos2Robots + "physics: {type: ros2, " + keys + "}");
  };
  for (const char* topic : {"red/pose", "/red//pose", "/red/", "/1red", "/red-1/pose", "/"}) {
    EXPECT_THAT(faults("poses: {green: {topic: '" + std::string(topic) + "'}}"),
                ElementsAre("f.yaml:5: physics.poses.green.topic: '" + std::string(topic) +
                            "' is no topic; example: /vrpn_mocap/red/pose"));
  }
  EXPECT_THAT(faults("domain: 233"), ElementsAre("f.yaml:5: physics.domain: '233' is out of range; allowed: 0 to 232"));
  EXPECT_THAT(faults("interface: 'a b'"),
              ElementsAre("f.yaml:5: physics.interface: 'a b' is no name of a network interface"));
  EXPECT_THAT(
      faults("poses: {gren: {topic: /a}}"),
      ElementsAre(testing::StartsWith("f.yaml:5: physics.poses.gren: 'gren' is not a robot; did you mean 'green'?")));
  EXPECT_THAT(
      faults("poses: {green: {frame: base, topic: /a}}"),
      ElementsAre("f.yaml:5: physics.poses.green.topic: does not go with `frame`, which is of /tf; remove one of "
                  "them"));
  EXPECT_THAT(faults("stale: 1ms"), ElementsAre("f.yaml:5: physics.stale: '1ms' is out of range; allowed: 10ms to 1h"));
}

TEST(Ros2Configuration, SubscribesToTheClockOfPaceFollow) {
  const std::string physics = "physics: {type: ros2, stamps: ignore}\n";
  EXPECT_FALSE(read_yaml(kRos2Robots + physics).ros2_input->clock);
  const Configuration config = read_yaml(kRos2Robots + physics + "pace: follow");
  EXPECT_TRUE(config.ros2_input->clock);
  EXPECT_EQ(config.follow.source, FollowSource::kFeed);
  EXPECT_FALSE(read_yaml(kRos2Robots + physics + "pace: follow\nfollow: {clock: /run/c}").ros2_input->clock);
  EXPECT_THAT(faults_in(kRos2Robots + "physics: {type: ros2}\npace: follow"),
              ElementsAre("f.yaml:5: physics: is followed by its /clock (`pace: follow`), and its nodes stamp by that "
                          "clock too; add `stamps: ignore`"));
  EXPECT_THAT(
      faults_in(kRos2Robots + physics + "pace: follow\nros2: {clock: 10ms}"),
      ElementsAre("f.yaml:7: ros2.clock: /clock is followed (`pace: follow`): who publishes it already is the one "
                  "who may; remove the key"));
}

TEST(Ros2Configuration, PublishesTopicsWithAnInterval) {
  const auto output = [](const std::string& more) { return read_yaml(kRos2Robots + more).ros2_output; };
  EXPECT_FALSE(output("window: 1ms"));
  const auto some = output("ros2: {domain: 3, interface: eth2, links: 50ms}");
  ASSERT_TRUE(some);
  EXPECT_EQ(some->place.domain, 3U);
  EXPECT_EQ(some->place.interface, "eth2");
  EXPECT_EQ(some->links, std::chrono::milliseconds(50));
  EXPECT_FALSE(some->diagnostics);
  const auto faults = [](const std::string& keys) { return faults_in(kRos2Robots + "ros2: {" + keys + "}"); };
  EXPECT_THAT(faults("domain: 3"), ElementsAre(testing::StartsWith("f.yaml:5: ros2: publishes nothing; give ")));
  EXPECT_THAT(faults("links: 1ms"), ElementsAre("f.yaml:5: ros2.links: '1ms' is out of range; allowed: 10ms to 1h"));
}

}  // namespace
}  // namespace hilgate::test
