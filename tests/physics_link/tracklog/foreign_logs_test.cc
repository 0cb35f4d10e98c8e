// SPDX-License-Identifier: Apache-2.0
// Logs that other programs wrote: logs/README.md. Places and times are those that were given to them, or that another
// reader gives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "tests/physics_link/tracklog/log_text.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr double kCentimetre = 1e-7;                                // degrees of latitude
constexpr Nanoseconds kNoon = std::chrono::seconds(1'714'557'600);  // 2024-05-01T10:00:00Z

/// The four positions that GPSBabel had.
void expect_four(const TrackLog& log, const std::string& name) {
  ASSERT_EQ(log.tracks.size(), 1u);
  EXPECT_EQ(log.tracks[0].name, name);
  const std::vector<LogPoint>& points = log.tracks[0].points;
  ASSERT_EQ(points.size(), 4u);
  const std::array<Nanoseconds, 4> times = {0s, 1s, 2s, 4s};
  const std::array<mavlink::Geodetic, 4> places = {
      {{47.3977, 8.5456, 488}, {47.3978, 8.5458, 490.5}, {47.3980, 8.5461, 495}, {47.3983, 8.5465, 500}}};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(points[i].at, kNoon + times[i]);
    EXPECT_NEAR(earth_of(points[i]).lat_deg, places[i].lat_deg, kCentimetre);
    EXPECT_NEAR(earth_of(points[i]).lon_deg, places[i].lon_deg, kCentimetre);
    EXPECT_NEAR(earth_of(points[i]).alt_m, places[i].alt_m, 0.001);
  }
  EXPECT_EQ(log.utc_of_zero, 0ns);
}

TEST(ForeignLogs, GpxOfGpsbabel) {
  const TrackLog log = log_of(content_of("gpsbabel.gpx"));
  EXPECT_EQ(log.format, "GPX");
  expect_four(log, "track1");
  EXPECT_THAT(log.notes, IsEmpty());
}

TEST(ForeignLogs, KmlOfGpsbabel) {
  const TrackLog log = log_of(content_of("gpsbabel.kml"));
  EXPECT_EQ(log.format, "KML");
  expect_four(log, "track1");
  EXPECT_THAT(log.notes, ElementsAre("left out: 1 lines without times (LineString)"));
}

TEST(ForeignLogs, NmeaOfGpsbabel) {
  const TrackLog log = log_of(content_of("gpsbabel.nmea"));
  EXPECT_EQ(log.format, "NMEA 0183");
  expect_four(log, "log");
  EXPECT_THAT(log.notes, IsEmpty());
}

TEST(ForeignLogs, UlogOfPx4) {
  const TrackLog log = log_of(content_of("px4.ulg"));
  ASSERT_EQ(log.tracks.size(), 1u);
  const std::vector<LogPoint>& points = log.tracks[0].points;
  ASSERT_EQ(points.size(), 40u);
  EXPECT_EQ(points.front().at, 1'710'773'367'854'000us);
  EXPECT_EQ(earth_of(points.front()), (mavlink::Geodetic{47.397742019724916, 8.545593909296922, 488.00274658203125}));
  EXPECT_EQ(points.back().at, 1'710'773'375'654'000us);
  EXPECT_EQ(earth_of(points.back()), (mavlink::Geodetic{47.397741834707716, 8.545594181651397, 488.2834167480469}));
  EXPECT_EQ(log.utc_of_zero, 0ns) << "PX4's simulation counts from 1970, and the receiver says the same";
}

TEST(ForeignLogs, UlogWithLocalPositionsAloneGivesTheSamePlaces) {
  std::string content = content_of("px4.ulg");
  for (std::size_t at = 0; (at = content.find("vehicle_global_position", at)) != std::string::npos;) {
    content[at] = 'x';
  }
  const TrackLog log = log_of(content);
  ASSERT_EQ(log.tracks.size(), 1u);
  ASSERT_EQ(log.tracks[0].points.size(), 10u);
  // x 0.02337886, y 0.00052195, z -0.04247847 of a reference at latitude 47.3977418
  EXPECT_EQ(log.tracks[0].points[0].at, 1'710'773'364'254'000us);
  EXPECT_NEAR(earth_of(log.tracks[0].points[0]).lat_deg, 47.3977418 + 0.02337886 / 6371000 * 180 / M_PI, 1e-9);
  EXPECT_THAT(log.notes, ElementsAre("positions are those of vehicle_local_position"));
}

TEST(ForeignLogs, TelemetryLogOfNodeMavlink) {
  const TrackLog log = log_of(content_of("node.tlog"));
  ASSERT_EQ(log.tracks.size(), 2u);
  EXPECT_EQ(log.tracks[0].name, "system1");
  ASSERT_EQ(log.tracks[0].points.size(), 20u);
  EXPECT_EQ(log.tracks[1].name, "system2");
  ASSERT_EQ(log.tracks[1].points.size(), 18u);
  const LogPoint& point = log.tracks[1].points[0];  // the third: the first two have no fix
  EXPECT_EQ(point.at, kNoon + 500ms + 2468us);
  EXPECT_NEAR(earth_of(point).lat_deg, 47.3979200, 1e-9);
  EXPECT_NEAR(earth_of(point).lon_deg, 8.5456300, 1e-9);
  EXPECT_NEAR(earth_of(point).alt_m, 489, 1e-9);
  EXPECT_THAT(log.notes, ElementsAre("left out: 2 positions without a fix"));
  ASSERT_TRUE(log.radio);
  ASSERT_EQ(log.radio->samples.size(), 4u);
  EXPECT_EQ(log.radio->samples[0].status.rssi, log.radio->most.rssi);
  EXPECT_LT(log.radio->samples[0].at, log.radio->samples[3].at);
  EXPECT_EQ(log.radio->least.rssi, 185);
  EXPECT_EQ(log.radio->most.rssi, 200);
  EXPECT_EQ(log.radio->most.rxerrors, 15);
}

TEST(ForeignLogs, DamagedBytesOfATelemetryLogAreLeftOutAlone) {
  std::string content = content_of("node.tlog");
  content.insert(0, content.substr(0, 30));                            // the first frame, cut off
  content[30 + 8 + 12] = static_cast<char>(content[30 + 8 + 12] ^ 1);  // its payload, damaged
  content += content.substr(0, 20);
  const TrackLog log = log_of(content);
  ASSERT_EQ(log.tracks.size(), 2u);
  EXPECT_THAT(log.notes, testing::Contains(testing::StartsWith("left out: ")));
  const TrackLog whole = log_of(content_of("node.tlog"));
  EXPECT_EQ(log.tracks[1].points.size(), whole.tracks[1].points.size());
  EXPECT_LT(log.tracks[0].points.size() + log.tracks[1].points.size(), 39u);
}

TEST(ForeignLogs, BagsOfMcapsOwnLibraryInAllCompressions) {
  for (const char* name : {"ros2_none.mcap", "ros2_lz4.mcap", "ros2_zstd.mcap"}) {
    const TrackLog log = log_of(content_of(name));
    EXPECT_EQ(log.format, "ROS 2 bag (MCAP)") << name;
    EXPECT_EQ(log.utc_of_zero, 0ns);
    ASSERT_EQ(log.tracks.size(), 6u) << name;
    const auto track = [&](std::string_view topic) { return *std::ranges::find(log.tracks, topic, &LogTrack::name); };
    const LogTrack fix = track("uav/fix");
    ASSERT_EQ(fix.points.size(), 4u) << "the first has no fix";
    EXPECT_EQ(fix.points[0].at, kNoon + 1s + 250ms) << "by its stamp";
    EXPECT_EQ(earth_of(fix.points[3]), (mavlink::Geodetic{47.3977 + 4 * 1e-4, 8.5456, 492}));
    EXPECT_EQ(local_of(track("uav/pose").points[2]), (Vec3{2, 4, 6}));
    EXPECT_EQ(local_of(track("uav/amcl").points[2]), (Vec3{12, 0, 1}));
    EXPECT_EQ(local_of(track("uav/odom").points[2]), (Vec3{-2, 2, 0.5}));
    const LogTrack px4 = track("fmu/out/vehicle_odometry");
    EXPECT_EQ(local_of(px4.points[2]), (Vec3{2, 3, 3})) << "of north 3, east 2, down -3";
    EXPECT_EQ(px4.points[2].at, kNoon + 2s + 260ms) << "by the bag's time: the autopilot counts from its start";
    const mavlink::Geodetic global = earth_of(track("fmu/out/vehicle_global_position").points[4]);
    EXPECT_NEAR(global.lon_deg, 8.5460, 1e-9);
    EXPECT_DOUBLE_EQ(global.alt_m, 488.5);
    EXPECT_THAT(log.notes, ElementsAre("left out: 5 messages of std_msgs/msg/String",
                                       "left out: 1 positions without a fix, or in no frame that is known"));
  }
}

// As receivers write fixes in two dimensions.
TEST(ForeignLogs, BagsHaveFixesWithoutAnAltitude) {
  std::string content = content_of("ros2_none.mcap");
  const auto put = [&content](std::size_t at, const auto& value) { std::memcpy(&content[at], &value, sizeof value); };
  const auto bytes_of = [](const auto& value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof value);
  };
  put(content.find(bytes_of(490.0)), std::numeric_limits<double>::quiet_NaN());
  constexpr std::size_t kCrc = 1 + 8 + 8 + 8 + 8;   // of a chunk, behind its head, times and length; 0: none
  for (std::size_t at = 8; content[at] != 0x02;) {  // records up to the footer
    std::uint64_t length = 0;
    std::memcpy(&length, &content[at + 1], sizeof length);
    if (content[at] == 0x06) {
      put(at + kCrc, std::uint32_t{0});
    }
    at += 9 + length;
  }
  const TrackLog log = log_of(content);
  EXPECT_THAT(log.notes, testing::Contains("left out: 1 altitudes that are missing or no numbers; they count as 0 m"));
}

// By hand, as QGroundControl writes plans.
TEST(ForeignLogs, PlanFliesAtItsSpeedAndHolds) {
  const TrackLog log = log_of(content_of("waypoints.plan"));
  EXPECT_EQ(log.format, "QGroundControl plan");
  EXPECT_EQ(log.clock, LogClock::kSimulation);
  ASSERT_EQ(log.tracks.size(), 1u);
  const std::vector<LogPoint>& points = log.tracks[0].points;
  const auto seconds = [&](std::size_t i) { return std::chrono::duration<double>(points.at(i).at).count(); };
  ASSERT_EQ(points.size(), 10u);
  EXPECT_EQ(earth_of(points[0]), (mavlink::Geodetic{47.3977, 8.5456, 488}));
  EXPECT_EQ(earth_of(points[1]), (mavlink::Geodetic{47.3977, 8.5456, 498})) << "takes off where it is";
  EXPECT_NEAR(seconds(1), 2, 1e-6) << "10 m at 5 m/s";
  EXPECT_NEAR(seconds(2), 2 + 111.2 / 5, 0.05);
  EXPECT_NEAR(seconds(3) - seconds(2), 5, 1e-6) << "holds";
  EXPECT_NEAR(seconds(4) - seconds(3), 11.12, 0.02) << "at 10 m/s from there on, to the survey's waypoint";
  EXPECT_NEAR(seconds(5) - seconds(4), 1, 1e-6) << "10 m up to loiter; an altitude above the sea was the same place";
  EXPECT_NEAR(seconds(6) - seconds(5), 7, 1e-6);
  EXPECT_NEAR(seconds(7) - seconds(6), 2, 1e-6) << "delay";
  EXPECT_NEAR(seconds(8) - seconds(7), 22.24, 0.02) << "returns at its altitude";
  EXPECT_NEAR(seconds(9) - seconds(8), 2, 1e-6);
  EXPECT_EQ(earth_of(points[9]), (mavlink::Geodetic{47.3977, 8.5456, 488}));
  EXPECT_THAT(log.notes, testing::Contains("left out: 1 complex items of the type fwLandingPattern"));
  EXPECT_THAT(log.notes, testing::Contains("left out: 1 commands 206, which neither move nor hold"));
}

TEST(ForeignLogs, PlanThatCannotBeFlownIsRefused) {
  const std::string plan = content_of("waypoints.plan");
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string other = plan;
    const std::size_t at = other.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return fault_of(other.replace(at, from.size(), to));
  };
  EXPECT_THAT(with("\"hoverSpeed\": 5", "\"hoverSpeed\": 0"), testing::HasSubstr("has the hoverSpeed 0"));
  EXPECT_THAT(with("47.3987", "147.3987"), testing::HasSubstr("item 2 has 147.399, which is out of range"));
  EXPECT_THAT(with("\"params\"", "\"parameters\""), testing::HasSubstr("in item 1"));
  EXPECT_THAT(fault_of(plan.substr(0, 600)), testing::HasSubstr("is no whole JSON"));
}

// Whatever is cut off, what is read is a beginning of the whole, or there is a fault.
TEST(ForeignLogs, CutOffAnywhere) {
  for (const char* name : {"px4.ulg", "node.tlog", "gpsbabel.gpx", "gpsbabel.kml", "gpsbabel.nmea", "ros2_none.mcap",
                           "ros2_lz4.mcap", "ros2_zstd.mcap", "waypoints.plan"}) {
    const std::string content = content_of(name);
    const TrackLog whole = log_of(content);
    for (std::size_t size = 0; size < content.size(); size += 1 + content.size() / 300) {
      try {
        const TrackLog part = log_of(content.substr(0, size));
        for (std::size_t i = 0; i < part.tracks.size(); ++i) {
          EXPECT_LE(part.tracks[i].points.size(), whole.tracks[i].points.size()) << name << " " << size;
        }
      } catch (const ConfigError& error) {
        EXPECT_FALSE(error.faults().empty());
      }
    }
  }
}

}  // namespace
}  // namespace hilgate::test
