// SPDX-License-Identifier: Apache-2.0
// Logs by hand, from the formats' descriptions, and what bad ones get.
#include "physics_link/tracklog/log_formats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "physics_link/tracklog/log_time.h"
#include "tests/physics_link/tracklog/log_text.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

std::string gpx(const std::string& points) {
  return "<?xml version=\"1.0\"?>\n<gpx>\n<trk><name>red</name><trkseg>\n" + points + "</trkseg></trk>\n</gpx>\n";
}

TEST(LogFormats, FaultsNameTheLineAndTheRemedy) {
  EXPECT_EQ(fault_of(gpx("<trkpt lat=\"103.8\" lon=\"1.35\"><time>2024-05-01T10:00:00Z</time></trkpt>\n")),
            "here/log.x:4: latitude 103.8 is out of range; allowed: -90 to 90 degrees; the longitude is 1.35: are the "
            "two swapped?");
  EXPECT_EQ(fault_of(gpx("<trkpt lat=\"1\" lon=\"2\"><time>2024-05-01T10:00:01Z</time></trkpt>\n"
                         "<trkpt lat=\"1\" lon=\"2\"><time>2024-05-01T10:00:00Z</time></trkpt>\n")),
            "here/log.x:5: the time of 'red' goes back, from 1714557601.000000 s to 1714557600.000000 s; cut the log "
            "there, or sort it");
  EXPECT_EQ(fault_of(gpx("<trkpt lat=\"1\" lon=\"2\"/>\n")),
            "here/log.x: has no track with times: 'trkpt' elements with 'time' are needed; left out: 1 points without "
            "a time");
  EXPECT_EQ(fault_of(gpx("<trkpt lat=\"north\"/>\n")),
            "here/log.x:4: lat 'north' is not a number\nhere/log.x:4: 'trkpt' misses the attribute 'lon'");
  EXPECT_THAT(fault_of(gpx("<trkpt")), HasSubstr("here/log.x:4: is no whole XML"));
  EXPECT_THAT(fault_of(gpx(std::string(257 << 20, ' '))), HasSubstr("and of XML 268435456 are the most; cut the log"));
  const std::string whole = gpx("<trkpt lat=\"1\" lon=\"2\"><time>2024-05-01T10:00:01Z</time></trkpt>\n");
  EXPECT_THAT(fault_of(whole + whole.substr(whole.find("<gpx"))),
              HasSubstr("begins a second element after 'gpx', which would not be read"));
  EXPECT_EQ(fault_of("\x1F\x8B\b"), "here/log.x: is compressed; unpack it before");
  EXPECT_EQ(fault_of(""), "here/log.x: is empty");
  EXPECT_THAT(fault_of("hello"), HasSubstr("is in no format that is known: ULog, "));
}

TEST(LogFormats, AFileOfFaultsHasTheFirstTen) {
  std::string points;
  for (int i = 0; i < 1000; ++i) {
    points += "<trkpt lat=\"91\" lon=\"2\"><time>2024-05-01T10:00:00Z</time></trkpt>\n";
  }
  const std::string faults = fault_of(gpx(points));
  EXPECT_EQ(std::count(faults.begin(), faults.end(), '\n'), 9);
}

TEST(LogFormats, NmeaOverMidnightAndWithoutAFix) {
  const TrackLog log = log_of(
      "$GPGGA,235959.50,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,\n"
      "$GPRMC,235959.50,A,4807.038,N,01131.000,E,0,0,311223,,\n"
      "$GPGGA,000000.00,,,,,0,00,,,M,,M,,\n"
      "$GPGGA,000000.50,4807.039,S,01131.000,W,1,08,0.9,545.4,M,46.9,M,,*00\n"
      "$GPGGA,000001.00,4807.039,S,01131.000,W,1,08,0.9,545.4,M,46.9,M,,\n");
  ASSERT_EQ(log.tracks.size(), 1u);
  ASSERT_EQ(log.tracks[0].points.size(), 2u);
  EXPECT_EQ(log.tracks[0].points[1].at - log.tracks[0].points[0].at, 1500ms);
  EXPECT_EQ(log.tracks[0].points[0].at, *utc_of_day(2023, 12, 31) + 86'399'500ms);
  EXPECT_NEAR(earth_of(log.tracks[0].points[1]).lat_deg, -48.11731667, 1e-8);
  EXPECT_NEAR(earth_of(log.tracks[0].points[1]).lon_deg, -11.51666667, 1e-8);
  EXPECT_THAT(log.notes,
              ElementsAre("left out: 1 positions without a fix", "left out: 1 sentences with a wrong checksum"));
  EXPECT_EQ(fault_of("$GPGGA,1,4867.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,\n"),
            "here/log.x:1: time '1' is none; example: 123519.00");
}

TEST(LogFormats, Instants) {
  EXPECT_EQ(utc_of_text("2024-05-01T10:00:00.250+02:00"), 1'714'550'400s + 250ms);
  EXPECT_EQ(utc_of_text(" 1970-01-01T00:00:00Z\n"), 0ns);
  for (const char* wrong : {"", "2024-05-01", "2024-13-01T10:00:00Z", "2024-02-30T10:00:00Z", "2024-05-01T24:00:00Z",
                            "2024-05-01T10:00:00.Z", "2024-05-01T10:00:00+2", "1969-05-01T10:00:00Z"}) {
    EXPECT_EQ(utc_of_text(wrong), std::nullopt) << wrong;
  }
}

// Where ns-2's nodes are: an order ends the one before it; a speed of 0 is a stop.
TEST(LogFormats, Ns2MovementsAreInterrupted) {
  const TrackLog log = log_of(
      "# setdest\n$node_(0) set X_ 10\n$node_(0) set Y_ 0.0\n$node_(0) set Z_ 2.0\n"
      "$ns_ at 1.0 \"$node_(0) setdest 110 0 10\"\n"
      "$ns_ at 6.0 \"$node_(0) setdest 60.0 20.0 20.0\"\n$god_ set-dist 0 1 2\n$node_(1) set X_ 5\n");
  ASSERT_EQ(log.tracks.size(), 2u);
  const std::vector<LogPoint>& points = log.tracks[0].points;
  ASSERT_EQ(points.size(), 4u);
  EXPECT_EQ(points[1].at, 1s);
  EXPECT_EQ(local_of(points[1]), (Vec3{10, 0, 2}));
  EXPECT_EQ(points[2].at, 6s);
  EXPECT_EQ(local_of(points[2]), (Vec3{60, 0, 2})) << "on its way to 110";
  EXPECT_EQ(points[3].at, 7s);
  EXPECT_EQ(local_of(points[3]), (Vec3{60, 20, 2}));
  EXPECT_EQ(log.tracks[1].name, "node1");
  EXPECT_THAT(log.notes, ElementsAre("left out: 1 lines that move no node"));
  EXPECT_EQ(fault_of("$ns_ at 1.0 \"$node_(0) setdest 110 x 10\"\n"),
            "here/log.x:1: 'x' is no number from -1e+08 to 1e+08");
}

TEST(LogFormats, BonnMotionWithThreeOrFourNumbers) {
  const TrackLog flat = log_of("0.0 1.0 2.0 10.0 3.0 4.0\n0.0 5 6\n");
  ASSERT_EQ(flat.tracks.size(), 2u);
  EXPECT_EQ(flat.tracks[0].points[1].at, 10s);
  EXPECT_EQ(local_of(flat.tracks[0].points[1]), (Vec3{3, 4, 0}));
  const TrackLog deep = log_of("0.0 1.0 2.0 3.0 10.0 4.0 5.0 6.0\n");
  EXPECT_EQ(local_of(deep.tracks[0].points[1]), (Vec3{4, 5, 6}));
  EXPECT_THAT(fault_of("0.0 1 2\n5.0 1 2 3.0 1 2\n"), HasSubstr("here/log.x:2: is not, as all lines"));
}

TEST(LogFormats, SumoFcd) {
  const TrackLog log = log_of(
      "<fcd-export>\n<timestep time=\"0.00\"><vehicle id=\"a\" x=\"1\" y=\"2\" angle=\"0\"/></timestep>\n"
      "<timestep time=\"0.50\"><vehicle id=\"a\" x=\"2\" y=\"2\" z=\"3\"/><person id=\"p\" x=\"0\" "
      "y=\"0\"/></timestep>\n"
      "</fcd-export>\n");
  ASSERT_EQ(log.tracks.size(), 2u);
  EXPECT_EQ(log.tracks[0].points[1].at, 500ms);
  EXPECT_EQ(local_of(log.tracks[0].points[1]), (Vec3{2, 2, 3}));
  EXPECT_EQ(log.tracks[1].name, "p");
}

TEST(LogFormats, KmlTracksNeedAsManyTimesAsPlaces) {
  const std::string log =
      "<kml><Placemark><name>red</name><gx:Track>\n<when>2024-05-01T10:00:00Z</when>\n<gx:coord>8 47 1</gx:coord>\n"
      "<gx:coord>8 47 1</gx:coord>\n</gx:Track></Placemark></kml>";
  EXPECT_EQ(fault_of(log), "here/log.x:4: 'red' has fewer 'when' than 'coord' elements");
}

/// Little-endian bytes of numbers, one after the other.
template <class... Numbers>
std::string bytes_of(Numbers... numbers) {
  std::string bytes;
  const auto add = [&bytes](auto number) {
    std::string raw(sizeof(number), '\0');
    std::memcpy(raw.data(), &number, sizeof(number));
    bytes += raw;
  };
  (add(numbers), ...);
  return bytes;
}
std::string padded(std::string text, std::size_t size) {
  text.resize(size);
  return text;
}
std::string dataflash_format(std::uint8_t type, std::uint8_t size, const char* name, const char* letters,
                             const char* labels) {
  return "\xA3\x95\x80" + bytes_of(type, size) + padded(name, 4) + padded(letters, 16) + padded(labels, 64);
}
std::string dataflash_gps(std::uint8_t status, std::uint64_t us, std::int32_t lat, std::int32_t lon, std::int32_t cm) {
  return "\xA3\x95\x82" + bytes_of(us, status, std::uint32_t{1000}, std::uint16_t{2000}, lat, lon, cm);
}

TEST(LogFormats, DataflashWithItsFormats) {
  const std::string head = dataflash_format(128, 89, "FMT", "BBnNZ", "Type,Length,Name,Format,Columns") +
                           dataflash_format(130, 30, "GPS", "QBIHLLe", "TimeUS,Status,GMS,GWk,Lat,Lng,Alt");
  const std::string log_bytes = head + dataflash_gps(0, 1'000'000, 0, 0, 0) +
                                dataflash_gps(3, 2'000'000, -353'626'298, 1'491'653'055, 58438) + "garbage" +
                                dataflash_gps(3, 2'200'000, -353'626'299, 1'491'653'055, 58438);
  const TrackLog log = log_of(log_bytes);
  ASSERT_EQ(log.tracks.size(), 1u);
  EXPECT_EQ(log.tracks[0].name, "log");
  ASSERT_EQ(log.tracks[0].points.size(), 2u);
  EXPECT_EQ(log.tracks[0].points[0].at, 2s);
  EXPECT_NEAR(earth_of(log.tracks[0].points[0]).lat_deg, -35.3626298, 1e-9);
  EXPECT_NEAR(earth_of(log.tracks[0].points[0]).alt_m, 584.38, 1e-9);
  EXPECT_THAT(log.notes, ElementsAre("positions are those of GPS", "left out: 7 bytes that are no whole messages",
                                     "left out: 1 positions without a fix"));
  // Week 2000 began on 2018-05-06; GPS is 18 s ahead.
  EXPECT_EQ(*log.utc_of_zero + 2200ms, *utc_of_day(2018, 5, 6) + 1s - 18s);
  EXPECT_THAT(fault_of(head + dataflash_format(131, 5, "POS", "QLL", "TimeUS,Lat,Lng")),
              HasSubstr("at byte 178: the format of 'POS' has fields of 19 bytes, and a size of 5"));
  EXPECT_THAT(fault_of(head), HasSubstr("has no positions: neither POS nor GPS messages with a fix"));
}

TEST(LogFormats, UlogThatNewerProgramsWroteIsRefused) {
  std::string content = content_of("px4.ulg");
  const std::size_t flags = content.find('B', 16);
  ASSERT_EQ(flags, 18u) << "the flags are the first message";
  content[flags + 1 + 9] = 1;
  EXPECT_THAT(fault_of(content), HasSubstr("here/log.x: at byte 16: has flags"));
}

constexpr const char* kCoreSession = R"(<?xml version='1.0' encoding='UTF-8'?>
<scenario name="core-session">
  <networks><network id="1" name="wlan1"><position x="1" y="2" lat="47.5" lon="-122" alt="2"/></network></networks>
  <devices>
    <device id="2" name="red" type="mdr"><position x="300.0" y="100.0" lat="47.578" lon="-122.128" alt="2.0"/></device>
    <device id="3" name="blue" type="mdr"><position x="400.0" y="100.0" lat="47.579" lon="-122.128"/></device>
    <device id="4" name="host" type="PC"><position x="1" y="1"/></device>
  </devices>
  <mobility_configurations>
    <mobility_configuration node="1" model="ns2script">
      <configuration name="file" value="sample1.scen"/>
    </mobility_configuration>
  </mobility_configurations>
</scenario>
)";

TEST(LogFormats, DevicesOfACoreSessionStandStill) {
  const TrackLog log = log_of(kCoreSession);
  EXPECT_EQ(log.format, "CORE session");
  EXPECT_EQ(log.clock, LogClock::kSimulation);
  ASSERT_EQ(log.tracks.size(), 2u);
  EXPECT_EQ(log.tracks[0].name, "red");
  ASSERT_EQ(log.tracks[0].points.size(), 1u);
  EXPECT_EQ(earth_of(log.tracks[0].points[0]), (mavlink::Geodetic{47.578, -122.128, 2}));
  EXPECT_EQ(earth_of(log.tracks[1].points[0]).alt_m, 0);
  EXPECT_THAT(log.notes, testing::Contains("left out: 1 devices without latitude and longitude"));
  EXPECT_THAT(log.notes,
              testing::Contains(testing::HasSubstr("the movements of sample1.scen are a file of their own")));
  std::string wrong = kCoreSession;
  wrong.replace(wrong.find("47.578"), 6, "147.57");
  EXPECT_THAT(fault_of(wrong), testing::HasSubstr("log.x:5: latitude 147.57 is out of range"));
}

}  // namespace
}  // namespace hilgate::test
