// SPDX-License-Identifier: Apache-2.0
#include "physics_link/tracklog/laid_tracks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/physics_link/tracklog/log_text.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr Nanoseconds kTen = std::chrono::seconds(1'714'557'600);  // 2024-05-01T10:00:00Z

TrackLog boot_log(std::string file, std::optional<Nanoseconds> utc_of_zero) {
  TrackLog log{.file = std::move(file), .format = "ULog (PX4)", .clock = LogClock::kBoot, .utc_of_zero = utc_of_zero};
  log.tracks.push_back({"one", {{5s, mavlink::Geodetic{47, 8, 500}}, {6s, mavlink::Geodetic{47.001, 8, 510}}}});
  return log;
}

std::string fault_of_laying(std::span<const TrackLog> logs, const LayRules& rules) {
  try {
    lay_tracks(logs, rules);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(LaidTracks, BeginWithTheFirstPositionThere) {
  const TrackLog log = boot_log("a.ulg", std::nullopt);
  const LaidTracks laid = lay_tracks({&log, 1}, {});
  ASSERT_EQ(laid.tracks.size(), 1u);
  ASSERT_EQ(laid.tracks[0].track.size(), 2u);
  EXPECT_EQ(laid.tracks[0].track[0].at, SimTime{});
  EXPECT_EQ(laid.tracks[0].track[0].position, (Vec3{0, 0, 0}));
  EXPECT_EQ(laid.tracks[0].track[1].at, SimTime{1s});
  // A thousandth of a degree of latitude at 47 degrees: the meridian's radius there is 6 369 600 m.
  EXPECT_NEAR(laid.tracks[0].track[1].position.y, 6369600 * M_PI / 180 / 1000, 0.02);
  EXPECT_EQ(laid.origin, (mavlink::Geodetic{47, 8, 500}));
}

TEST(LaidTracks, OfSeveralLogsGoTogetherByUtc) {
  const std::vector<TrackLog> logs = {boot_log("a.ulg", kTen), [] {
                                        TrackLog log = boot_log("b.ulg", kTen + 10s);
                                        log.tracks[0].name = "two";
                                        return log;
                                      }()};
  const LaidTracks laid = lay_tracks(logs, {.robots = {{"one", "red"}, {"two", "blue"}}});
  ASSERT_EQ(laid.tracks.size(), 2u);
  EXPECT_EQ(laid.tracks[0].robot, "blue");
  EXPECT_EQ(laid.tracks[0].track[0].at, SimTime{10s});
  EXPECT_EQ(laid.tracks[1].track[0].at, SimTime{});
  const LaidTracks later = lay_tracks(logs, {.start = LogStart::parse("2024-05-01T10:00:06Z")});
  EXPECT_EQ(later.tracks[0].track.size(), 1u);
  EXPECT_EQ(later.tracks[1].track[0].at, SimTime{9s});
  EXPECT_THAT(later.notes, testing::ElementsAre("left out: 1 positions before the time that is 0"));
}

TEST(LaidTracks, ConflictingKeysAreRefused) {
  const std::vector<TrackLog> apart = {boot_log("a.ulg", kTen), boot_log("b.ulg", std::nullopt)};
  EXPECT_THAT(fault_of_laying(apart, {}), HasSubstr("b.ulg: does not say when it was by UTC"));
  const std::vector<TrackLog> same = {boot_log("a.ulg", kTen), boot_log("b.ulg", kTen)};
  EXPECT_THAT(fault_of_laying(same, {}), HasSubstr("b.ulg: has a second track for robot 'one'"));
  const TrackLog log = boot_log("a.ulg", std::nullopt);
  EXPECT_EQ(fault_of_laying({&log, 1}, {.robots = {{"on", "red"}}}),
            "a.ulg: has no track 'on' for robot 'red'; did you mean 'one'?");
  EXPECT_THAT(fault_of_laying({&log, 1}, {.start = LogStart::parse("2024-05-01T10:00:06Z")}),
              HasSubstr("does not say when it was by UTC; take the time"));
  const TrackLog utc{.file = "u.gpx",
                     .format = "GPX",
                     .clock = LogClock::kUtc,
                     .utc_of_zero = 0ns,
                     .tracks = {{"one", {{kTen, mavlink::Geodetic{47, 8, 0}}}}}};
  EXPECT_THAT(fault_of_laying({&utc, 1}, {.start = LogStart::parse("absolute")}),
              HasSubstr("'one' has a position at 1714557600.000000 s, which is no simulation time"));
  EXPECT_THROW(LogStart::parse("noon"), std::invalid_argument);
}

TEST(LaidTracks, PositionsInMetresStayAsTheyAre) {
  const TrackLog log = log_of("0.0 1.0 2.0 10.0 3.0 4.0\n");
  const LaidTracks laid = lay_tracks({&log, 1}, {});
  EXPECT_EQ(laid.tracks[0].track[1].position, (Vec3{3, 4, 0}));
  EXPECT_EQ(tracks_csv(laid),
            "t_s,robot,x_m,y_m,z_m\n0.000000000,node0,1.0000,2.0000,0.0000\n10.000000000,node0,3.0000,4.0000,0.0000\n");
  EXPECT_THAT(fault_of_laying({&log, 1}, {.origin = mavlink::Geodetic{47, 8, 0}}),
              HasSubstr("do not go together with an origin on the earth"));
}

TEST(LaidTracks, AreReadByTheRobotsOfARun) {
  const std::string tlog = std::string(HILGATE_SOURCE_DIR) + "/tests/physics_link/tracklog/logs/node.tlog";
  const std::vector<std::string> robots = {"red", "system2"};
  const std::vector<Track> tracks = read_tracks_file(tlog, robots, {.robots = {{"system1", "red"}}});
  ASSERT_EQ(tracks.size(), 2u);
  EXPECT_EQ(tracks[0].size(), 20u);
  EXPECT_EQ(tracks[1].size(), 18u);
  const std::string px4 = std::string(HILGATE_SOURCE_DIR) + "/tests/physics_link/tracklog/logs/px4.ulg";
  EXPECT_EQ(read_tracks_file(px4, std::vector<std::string>{"any"}, {}).front().size(), 40u)
      << "the only track is that of the only robot";
  EXPECT_THROW(read_tracks_file(px4, robots, {}), ConfigError);
}

TEST(LaidTracks, NamesOfRobots) {
  EXPECT_EQ(robot_name("Morning run, 3"), "Morning_run__3");
  EXPECT_EQ(robot_name("_x"), "r_x");
  EXPECT_EQ(robot_name(""), "r");
  EXPECT_EQ(robot_name(std::string(50, 'a')), std::string(32, 'a'));
}

}  // namespace
}  // namespace hilgate::test
