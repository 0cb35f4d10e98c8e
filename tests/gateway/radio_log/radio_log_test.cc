// SPDX-License-Identifier: Apache-2.0
#include "gateway/radio_log/radio_log.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "config/config_file.h"
#include "frame/drop_reason.h"
#include "gateway/record/count_codec.h"
#include "gateway/record/link_table_codec.h"
#include "gateway/record/run_layout.h"
#include "host/mcap/mcap_writer.h"
#include "physics_link/mavlink/messages.h"

namespace hilgate::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;

constexpr mavlink::Geodetic kHome{47.3977, 8.5456, 488};
constexpr double kDegree = 111'194;  // m of latitude, about

/// A flight to the north at 10 m/s and 50 m above home, a RADIO_STATUS each second half a second after a position.
TrackLog flight_log(int seconds = 60) {
  TrackLog log{.file = "flight.tlog", .format = "MAVLink telemetry log", .utc_of_zero = 0s, .tracks = {}, .notes = {}};
  log.tracks.push_back({"system1", {{0s, kHome}}});
  log.radio.emplace();
  for (int i = 1; i <= seconds; ++i) {
    mavlink::Geodetic at = kHome;
    at.lat_deg += 10 * i / kDegree;
    at.alt_m += 50;
    log.tracks[0].points.push_back({std::chrono::seconds(i), at});
    log.radio->samples.push_back(
        {std::chrono::seconds(i) + 500ms,
         {.rssi = static_cast<std::uint8_t>(200 - i), .remrssi = 0, .noise = 40, .remnoise = mavlink::kUnknownLevel}});
  }
  return log;
}

std::string fault_in(const std::function<void()>& act) {
  try {
    act();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

std::string path_of(const std::string& name) {
  return (fs::path(HILGATE_SOURCE_DIR) / "tests/gateway/radio_log/logs" / name).string();
}

std::string text_in(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(VehicleRadio, HasDistanceFromHomeAndSikPower) {
  const MeasuredLog log = vehicle_rows(flight_log(), {.log = "flight.tlog"});
  ASSERT_EQ(log.rows.size(), 59u) << "the last value is after the last position";
  const MeasuredRow& row = log.rows[9];
  EXPECT_NEAR(row.pair.d2d_m, 105, 0.5) << "between the positions at 100 m and 110 m";
  EXPECT_NEAR(row.pair.high_m, 50, 0.01);
  EXPECT_DOUBLE_EQ(row.pair.low_m, 1.5);
  EXPECT_NEAR(row.pair.d3d_m, std::hypot(105, 48.5), 0.5);
  EXPECT_NEAR(*row.level_db, 190 / 1.9 - 127, 1e-9);
  EXPECT_DOUBLE_EQ(row.time_s, 10.5);
  EXPECT_NEAR(row.moved_m, 90, 0.5) << "since the first row";
  EXPECT_FALSE(log.is_snr);
  EXPECT_TRUE(log.has_heights);
  EXPECT_THAT(log.notes, Contains(HasSubstr("the first position of the track")));
  EXPECT_THAT(log.notes, Contains("left out: 1 values before the first position, after the last, or in a gap of more "
                                  "than 5 s"));
}

TEST(VehicleRadio, TakesTheStationAndTheRatioToNoise) {
  RadioLogOptions options{.log = "flight.tlog", .value = RadioValue::kSnr};
  options.station = OtherEnd{kHome.lat_deg, kHome.lon_deg, kHome.alt_m + 10};
  const MeasuredLog log = vehicle_rows(flight_log(), options);
  EXPECT_TRUE(log.is_snr);
  EXPECT_NEAR(log.rows[0].level_db.value_or(0), (199 - 40) / 1.9, 1e-9);
  EXPECT_NEAR(log.rows[0].pair.low_m, 10, 1e-9);
  EXPECT_THAT(log.notes, Contains(HasSubstr("10.0 m above the ground, by --at")));
}

TEST(VehicleRadio, ForgottenAndUnknownLevelsAreAbsent) {
  const MeasuredLog log = vehicle_rows(flight_log(), {.log = "flight.tlog", .value = RadioValue::kRemoteRssi});
  ASSERT_FALSE(log.rows.empty());
  EXPECT_FALSE(log.rows[0].level_db) << "0: nothing came from the other end";
  const MeasuredLog snr = vehicle_rows(flight_log(), {.log = "flight.tlog", .value = RadioValue::kRemoteSnr});
  EXPECT_FALSE(snr.rows[0].level_db);
}

TEST(VehicleRadio, RefusesUndeterminedData) {
  TrackLog log = flight_log();
  log.tracks.push_back({"system2", {{0s, kHome}}});
  EXPECT_THAT(fault_in([&] { vehicle_rows(log, {.log = "x"}); }),
              HasSubstr("flight.tlog: has several tracks; choose one with --track: system1, system2"));
  EXPECT_EQ(vehicle_rows(log, {.log = "x", .track = "system1"}).rows.size(), 59u);
  EXPECT_THAT(fault_in([&] { vehicle_rows(log, {.log = "x", .track = "red"}); }), HasSubstr("has no track 'red'"));
  EXPECT_THAT(fault_in([] {
                vehicle_rows(flight_log(), {.log = "x", .station = OtherEnd{100, 8, {}}});
              }),
              HasSubstr("is no latitude and longitude"));
  EXPECT_THAT(fault_in([] {
                vehicle_rows(flight_log(), {.log = "x", .station = OtherEnd{47.4, 8.5, 10}});
              }),
              HasSubstr("the station's antenna is at -478.0 m"));
  log = flight_log();
  log.radio.reset();
  EXPECT_THAT(fault_in([&] { vehicle_rows(log, {.log = "x"}); }), HasSubstr("has no RADIO_STATUS"));
}

TEST(VehicleRadio, GapsAndPlacesAtTheStationAreLeftOut) {
  TrackLog log = flight_log();
  log.tracks[0].points.erase(log.tracks[0].points.begin() + 20, log.tracks[0].points.begin() + 26);
  for (LogPoint& point : log.tracks[0].points) {
    std::get<mavlink::Geodetic>(point.place).alt_m = kHome.alt_m;
  }
  log.radio->samples.insert(log.radio->samples.begin(), {100ms, {.rssi = 210}});
  const MeasuredLog rows = vehicle_rows(log, {.log = "x"});
  EXPECT_THAT(rows.notes, Contains(HasSubstr("left out: 8 values before the first")));
  EXPECT_THAT(rows.notes, Contains(HasSubstr("left out: 1 values within 5 m of the station")));
  EXPECT_EQ(rows.rows.size(), 61u - 9u);
}

// The tests of iperf3 fly while iperf3 ran.
TrackLog flight_at(std::int64_t utc_s) {
  TrackLog log = flight_log();
  log.utc_of_zero = std::chrono::seconds(utc_s);
  return log;
}

TEST(IperfLog, HasRateAndLossByDistance) {
  const std::string file = path_of("iperf3_udp.json");
  const MeasuredLog log = iperf_rows(text_in(file), flight_at(1'795'919'607 - 20), {.log = file});
  ASSERT_EQ(log.rows.size(), 4u);
  EXPECT_NEAR(log.rows[0].pair.d2d_m, 205, 1) << "half a second after its start";
  EXPECT_NEAR(log.rows[3].pair.d2d_m, 235, 1);
  std::uint64_t frames = 0, lost = 0;
  for (const MeasuredRow& row : log.rows) {
    EXPECT_FALSE(row.level_db);
    EXPECT_NEAR(*row.rate_bps, 1.8e6, 0.2e6);
    frames += row.tally->frames;
    lost += row.tally->lost;
  }
  EXPECT_NEAR(static_cast<double>(frames), 715, 5);
  EXPECT_NEAR(static_cast<double>(lost) / static_cast<double>(frames), 0.1, 0.04);
  EXPECT_EQ(log.frame_bytes, 1442);
  EXPECT_TRUE(log.after_tries);
}

TEST(IperfLog, OfTcpHasRatesAlone) {
  const std::string file = path_of("iperf3_tcp.json");
  const MeasuredLog log =
      iperf_rows(text_in(file), flight_at(1'795'919'500), {.log = file, .positions_zero = 1'795'919'520s});
  ASSERT_FALSE(log.rows.empty());
  EXPECT_FALSE(log.rows[0].tally);
  EXPECT_NEAR(*log.rows[0].rate_bps, 20e6, 2e6);
  EXPECT_THAT(log.notes, Contains(HasSubstr("TCP at the sender")));
}

TEST(IperfLog, RefusesUndeterminedData) {
  const auto fault = [](const std::string& content, TrackLog positions) {
    return fault_in([&] { iperf_rows(content, positions, {.log = "i.json"}); });
  };
  const std::string udp = text_in(path_of("iperf3_udp.json"));
  EXPECT_THAT(
      fault(text_in(path_of("iperf3_udp_sender.json")), flight_at(0)),
      HasSubstr("i.json: interval 1 is the sender's, which does not know what was lost; repeat the test with -R"));
  EXPECT_THAT(fault(udp, flight_at(0)), HasSubstr("none of its 4 intervals is at a time of the positions"));
  TrackLog booted = flight_at(0);
  booted.utc_of_zero.reset();
  EXPECT_THAT(fault(udp, booted), HasSubstr("--positions-zero"));
  EXPECT_THAT(fault(udp.substr(0, 2000), flight_at(0)), HasSubstr("is no whole JSON of iperf3"));
  EXPECT_THAT(fault(R"({"start":{},"intervals":[],"error":"unable to connect"})", flight_at(0)),
              HasSubstr("is of a test that failed: unable to connect"));
  EXPECT_THAT(fault(R"({"start":{"timestamp":{"timesecs":-5},"test_start":{"protocol":"UDP","blksize":1}},)"
                    R"("intervals":[]})",
                    flight_at(0)),
              HasSubstr("timesecs -5 is out of range"));
  EXPECT_THAT(fault(R"({"start":{"timestamp":{"timesecs":"x"}},"intervals":[]})", flight_at(0)),
              HasSubstr("is not as iperf3 -J has it"));
}

class RecordedLinks : public testing::Test {
 protected:
  RecordedLinks() { fs::create_directories(folder_); }
  ~RecordedLinks() override { fs::remove_all(folder_); }
  RecordedLinks(const RecordedLinks&) = delete;
  RecordedLinks& operator=(const RecordedLinks&) = delete;

  /// Red stands, blue moves away at 10 m/s; of ten frames a second to blue one more is lost each second.
  void record(bool with_positions = true) const {
    McapWriter writer(folder_ / "run.mcap", "a test");
    const auto layout = writer.add_channel({.topic = kLayoutTopic});
    const auto links = writer.add_channel({.topic = kLinksTopic, .encoding = kVarintEncoding});
    const auto counts = writer.add_channel({.topic = kCountsTopic, .encoding = kVarintEncoding});
    const auto positions = writer.add_channel({.topic = kPositionsTopic});
    writer.write(layout, 0s,
                 R"({"robots":["red","blue"],"access_points":[],"modes":[],)"
                 R"("drop_reasons":["lost_on_air","queue_full"]})");
    LinkTableEncoder tables;
    CountEncoder counters;
    LinkCounts count;
    for (int second = 0; second <= 5; ++second) {
      const Nanoseconds at = std::chrono::seconds(1'763'000'000 + second);
      if (with_positions) {
        writer.write(positions, at,
                     fmt::format(R"({{"sim_s":{0},"robots":{{"red":{{"x":0,"y":0,"z":2}},)"
                                 R"("blue":{{"x":{1},"y":0,"z":2}}}}}})",
                                 second, 10 * second + 10));
      }
      LinkTable table{.window = static_cast<std::uint64_t>(second), .at = SimTime{std::chrono::seconds(second)}};
      table.links.resize(4);
      for (const std::size_t link : {1, 2}) {
        table.links[link].rssi_dbm = static_cast<float>(-60 - second);
        table.links[link].snr_db = static_cast<float>(30 - second);
        table.links[link].reachable = true;
      }
      writer.write(links, at, tables.encode(table));
      count.released += static_cast<std::uint64_t>(10 - second);
      count.bytes_released += 1000;
      count.dropped[0] += static_cast<std::uint64_t>(second);
      count.dropped[1] += 100;
      writer.write(counts, at, counters.encode(4, [&](std::size_t i) { return i == 1 ? count : LinkCounts{}; }));
    }
    writer.finish();
  }

  const fs::path folder_ = fs::temp_directory_path() / fmt::format("hgt-radio-log-{}", ::getpid());
};

TEST_F(RecordedLinks, HaveLevelDistanceAndLossOfEachSecond) {
  record();
  const MeasuredLog log = read_radio_log({.log = folder_.string(), .link = "red>blue"});
  ASSERT_EQ(log.rows.size(), 6u);
  EXPECT_FALSE(log.rows[0].tally) << "what was before is not known";
  const MeasuredRow& row = log.rows[3];
  EXPECT_DOUBLE_EQ(row.pair.d2d_m, 40);
  EXPECT_DOUBLE_EQ(row.pair.high_m, 2);
  EXPECT_DOUBLE_EQ(row.moved_m, 30);
  EXPECT_DOUBLE_EQ(*row.level_db, -63);
  ASSERT_TRUE(row.tally);
  EXPECT_EQ(row.tally->frames, 10u) << "those that a queue dropped were not on the air";
  EXPECT_EQ(row.tally->lost, 3u);
  EXPECT_DOUBLE_EQ(*row.rate_bps, 8000);
  EXPECT_TRUE(log.after_tries);
}

TEST_F(RecordedLinks, AreAllPathsAndMayBeRatios) {
  record();
  const MeasuredLog log = read_radio_log({.log = (folder_ / "run.mcap").string(), .value = RadioValue::kSnr});
  EXPECT_EQ(log.paths, 2u);
  EXPECT_EQ(log.rows.size(), 12u);
  EXPECT_DOUBLE_EQ(*log.rows.back().level_db, 25);
  EXPECT_TRUE(log.is_snr);
}

TEST_F(RecordedLinks, RefuseUndeterminedData) {
  record();
  const auto fault = [this](RadioLogOptions options) {
    options.log = folder_.string();
    return fault_in([&] { read_radio_log(options); });
  };
  EXPECT_THAT(fault({.link = "red>green"}), HasSubstr("has no link 'red>green'; it has red>blue, blue>red"));
  EXPECT_THAT(fault({.track = "red"}), HasSubstr("is a record, which has no use for --track"));
  EXPECT_THAT(fault({.value = RadioValue::kRemoteRssi}), HasSubstr("whose links have rssi and snr"));
  record(false);
  EXPECT_THAT(fault({}), HasSubstr("12 without a position"));
}

TEST_F(RecordedLinks, OtherFilesAreRecognisedByContent) {
  const std::string file = (folder_ / "log").string();
  const auto fault = [&](const std::string& content, RadioLogOptions options) {
    std::ofstream(file) << content;
    options.log = file;
    return fault_in([&] { read_radio_log(options); });
  };
  EXPECT_THAT(fault("t,d,rssi\n1,2,3\n", {}), HasSubstr("of a table name the columns: --columns"));
  EXPECT_EQ(fault("t,d,rssi\n1,2,3\n", {.columns = parse_log_columns("distance=d,level=rssi")}), "");
  EXPECT_THAT(fault("t,d,rssi\n1,2,3\n", {.columns = parse_log_columns("distance=d,level=rssi"), .link = "a>b"}),
              HasSubstr("read as a table because of --columns, which has no use for --link"));
  EXPECT_THAT(fault(text_in(path_of("iperf3_udp.json")), {}), HasSubstr("name a log that has, with --positions"));
  EXPECT_THAT(fault_in([&] { read_radio_log({.log = "nowhere"}); }), HasSubstr("nowhere: "));
}

// node.tlog is node-mavlink's; its vehicles and radio are in the tests of tracks.
TEST(RadioLog, ReadsATelemetryLogOfAnotherProgram) {
  const std::string file = HILGATE_SOURCE_DIR "/tests/physics_link/tracklog/logs/node.tlog";
  const MeasuredLog log = read_radio_log({.log = file, .track = "system1"});
  ASSERT_FALSE(log.rows.empty());
  EXPECT_NEAR(*log.rows[0].level_db, 200 / 1.9 - 127, 16 / 1.9);
}

}  // namespace
}  // namespace hilgate::test
