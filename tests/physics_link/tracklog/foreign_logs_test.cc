// SPDX-License-Identifier: Apache-2.0
// Logs that other programs wrote: logs/README.md. Places and times are those that were given to them, or that another
// reader gives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
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

// Whatever is cut off, what is read is a beginning of the whole, or there is a fault.
TEST(ForeignLogs, CutOffAnywhere) {
  for (const char* name : {"px4.ulg", "node.tlog", "gpsbabel.gpx", "gpsbabel.kml", "gpsbabel.nmea"}) {
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
