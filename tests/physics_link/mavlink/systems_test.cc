// SPDX-License-Identifier: Apache-2.0
#include "physics_link/mavlink/systems.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hilgate::mavlink {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class MavlinkSystems : public testing::Test {
 protected:
  void hear(std::uint8_t sequence, Heard heard = {}, Message message = Heartbeat{}, std::uint8_t system = 1) {
    systems.take(heard, {.sequence = sequence, .system = system, .component = 1}, message,
                 [](RobotIndex robot) { return "robot" + std::to_string(robot.value()); });
  }
  [[nodiscard]] const SystemCounts& counts(std::uint8_t system = 1) const { return systems.all().at(system); }

  std::vector<std::string> told;
  Systems systems{[this](const std::string& text) { told.push_back(text); }};
};

TEST_F(MavlinkSystems, RadiosOfOneBodyAreOneRobot) {
  hear(1, {.from = RobotIndex{0}, .body = RobotIndex{0}});
  hear(1, {.from = RobotIndex{1}, .body = RobotIndex{0}});
  EXPECT_EQ(counts().from_others, 0U);
  EXPECT_THAT(counts().robots, ElementsAre(RobotIndex{0}));
  EXPECT_EQ(counts().behind, 0U) << "sequences count for each radio";
  EXPECT_THAT(told, IsEmpty());
}

// After an overflow of a serial line.
TEST_F(MavlinkSystems, BytesThatOnlyLookLikeAFrameListNoSystem) {
  systems.take_wrong({.system = 7});
  hear(3, {}, std::monostate{}, 8);
  EXPECT_THAT(systems.all(), IsEmpty());
  EXPECT_EQ(systems.of_no_system(), 2U);
  hear(4, {}, Heartbeat{}, 8);
  hear(5, {}, std::monostate{}, 8);
  systems.take_wrong({.system = 8});
  EXPECT_EQ(systems.all().size(), 1U);
  EXPECT_EQ(counts(8).frames, 2U) << "of a dialect that is not read here";
  EXPECT_EQ(counts(8).wrong_crc, 1U);
  EXPECT_EQ(counts(8).lost, 0U);
  EXPECT_EQ(systems.of_no_system(), 2U);
}

TEST_F(MavlinkSystems, GapsAreCountedAcrossTheWrap) {
  hear(254);
  hear(255);
  hear(0);
  hear(3);
  EXPECT_EQ(counts().frames, 4U);
  EXPECT_EQ(counts().lost, 2U);
  EXPECT_EQ(counts().behind, 0U);
}

TEST_F(MavlinkSystems, AStepBackIsNoGap) {
  hear(10);
  hear(12);
  hear(11);
  hear(13);
  EXPECT_EQ(counts().lost, 1U);
  EXPECT_EQ(counts().behind, 1U);
}

TEST_F(MavlinkSystems, AnAutopilotThatStartsAgainLosesNothingByIt) {
  hear(100);
  for (std::uint8_t sequence = 0; sequence < 10; ++sequence) {
    hear(sequence);
  }
  hear(12);
  EXPECT_EQ(counts().behind, 3U) << "then it is believed";
  EXPECT_EQ(counts().lost, 2U);
}

TEST_F(MavlinkSystems, ComponentsAndWaysHaveSequencesOfTheirOwn) {
  hear(10, {.channel = 1});
  hear(200, {.channel = 2});
  hear(11, {.channel = 1});
  hear(201, {.channel = 2});
  EXPECT_EQ(counts().lost, 0U);
  EXPECT_EQ(counts().behind, 0U);
}

TEST_F(MavlinkSystems, StreamsHaveNoGaps) {
  hear(10, {.in_stream = true});
  hear(90, {.in_stream = true});
  EXPECT_EQ(counts().lost, 0U);
  EXPECT_EQ(counts().frames, 2U);
}

TEST_F(MavlinkSystems, TwoRobotsWithOneIdAreCountedAndReportedOnce) {
  hear(1, {.from = RobotIndex{0}, .body = RobotIndex{0}});
  hear(1, {.from = RobotIndex{1}, .body = RobotIndex{1}});
  hear(2, {.from = RobotIndex{1}, .body = RobotIndex{1}});
  hear(2, {.from = RobotIndex{0}, .body = RobotIndex{0}});
  EXPECT_EQ(counts().robots.size(), 2U);
  EXPECT_GE(counts().from_others, 2U);
  EXPECT_EQ(counts().lost, 0U);
  EXPECT_THAT(told, ElementsAre(HasSubstr("robot robot1 sends as system 1, which robot robot0 uses")));
}

TEST_F(MavlinkSystems, OneRobotWithTwoSystemsIsWell) {
  hear(1, {.from = RobotIndex{0}, .body = RobotIndex{0}}, Heartbeat{}, 1);
  hear(1, {.from = RobotIndex{0}, .body = RobotIndex{0}}, Heartbeat{}, 2);
  EXPECT_THAT(told, IsEmpty());
  EXPECT_EQ(counts(2).from_others, 0U);
}

TEST_F(MavlinkSystems, TimesyncTripsRunFromRequestToAnswer) {
  hear(1, {.from = RobotIndex{0}, .at = SimTime{1s}}, TimeSync{.tc1 = 0, .ts1 = 77}, 255);
  hear(1, {.from = RobotIndex{1}, .at = SimTime{1s + 5ms}}, TimeSync{.tc1 = 9, .ts1 = 77}, 1);
  hear(2, {.from = RobotIndex{1}, .at = SimTime{1s + 9ms}}, TimeSync{.tc1 = 9, .ts1 = 77}, 1);  // once is enough
  hear(3, {.from = RobotIndex{1}, .at = SimTime{2s}}, TimeSync{.tc1 = 9, .ts1 = 78}, 1);        // nobody asked
  hear(2, {.from = RobotIndex{0}, .at = SimTime{3s}}, TimeSync{.tc1 = 0, .ts1 = 79}, 255);
  hear(4, {.from = RobotIndex{1}, .at = SimTime{3s + 2ms}}, TimeSync{.tc1 = 9, .ts1 = 79}, 1);
  const TimeSyncTrips& trips = counts(255).timesync;
  EXPECT_EQ(trips.requests, 2U);
  EXPECT_EQ(trips.answers, 2U);
  EXPECT_EQ(trips.last, 2ms);
  EXPECT_EQ(trips.least, 2ms);
  EXPECT_EQ(trips.most, 5ms);
}

TEST_F(MavlinkSystems, RequestsWithoutAnswerAreForgottenInTheEnd) {
  for (int i = 0; i < 1000; ++i) {
    hear(static_cast<std::uint8_t>(i), {}, TimeSync{.tc1 = 0, .ts1 = i}, 255);
  }
  hear(0, {}, TimeSync{.tc1 = 1, .ts1 = 0}, 1);
  EXPECT_EQ(counts(255).timesync.answers, 0U);
  hear(1, {}, TimeSync{.tc1 = 1, .ts1 = 999}, 1);
  EXPECT_EQ(counts(255).timesync.answers, 1U);
}

}  // namespace
}  // namespace hilgate::mavlink
