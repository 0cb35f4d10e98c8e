// SPDX-License-Identifier: Apache-2.0
// Records that are made here, as the page gets them.
#include "gateway/views/web/recorded_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "gateway/record/count_codec.h"
#include "gateway/record/link_table_codec.h"
#include "gateway/record/run_layout.h"
#include "host/mcap/mcap_writer.h"

namespace hilgate::test {
namespace {

using PageJson = nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
constexpr std::int64_t kBegan = 1'763'000'000;  // s since 1970

class RecordedRunTest : public ::testing::Test {
 protected:
  RecordedRunTest() { std::filesystem::create_directories(folder_); }
  ~RecordedRunTest() override { std::filesystem::remove_all(folder_); }

  static Nanoseconds at(double second) {
    return std::chrono::seconds{kBegan} + Nanoseconds{static_cast<std::int64_t>(second * 1e9)};
  }
  [[nodiscard]] std::filesystem::path file() const { return folder_ / kRecordFile; }

  void begin() {
    writer_ = std::make_unique<McapWriter>(file(), "a test");
    say(kRunTopic, 0, R"({"run": "flight"})");
  }
  void lay_out(double second) {
    say(kLayoutTopic, second,
        R"({"robots": ["red", "blue"], "access_points": [], "modes": [{"rate_mbps": 54, "frame_bits": 12000}],
            "drop_reasons": ["lost_on_air"]})");
    LinkTable table;
    table.links.resize(4);
    table.links[1] = {.rssi_dbm = -70, .snr_db = 20};
    table.links[2].reachable = false;
    links_.restart();
    say(kLinksTopic, second, links_.encode(table));
    counts_.restart();
  }
  /// What each second has.
  void count(double second, std::uint64_t released, std::uint64_t lost) {
    LinkCounts link;
    link.released = released;
    link.dropped[0] = lost;
    say(kTotalsTopic, second,
        PageJson{{"sim_s", second},
                 {"window", 100},
                 {"totals", {{"out", released}, {"dropped", {{"lost_on_air", lost}}}, {"balanced", true}}}}
            .dump());
    say(kCountsTopic, second, counts_.encode(4, [&](std::size_t i) { return i == 1 ? link : LinkCounts{}; }));
  }
  void say(const char* topic, double second, const std::string& text) {
    const auto known = channels_.find(topic);
    const auto channel = known != channels_.end() ? known->second : writer_->add_channel({.topic = topic});
    channels_[topic] = channel;
    writer_->write(channel, at(second), text);
  }
  void end() { writer_->finish(); }

  struct Shown {
    std::vector<PageJson> reports;
    PageJson about;
    [[nodiscard]] const PageJson& status(std::size_t report) const { return reports[report]["answer"]["result"]; }
  };
  [[nodiscard]] Shown shown(const RecordRoom& room = {}) const {
    const RecordedRun run = read_recorded_run(folder_, worlds_, room);
    Shown shown{.reports = {}, .about = PageJson::parse(*run.about)};
    std::istringstream lines(*run.reports);
    for (std::string line; std::getline(lines, line);) {
      shown.reports.push_back(PageJson::parse(line));
    }
    return shown;
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("hilgate-page-of-record-" + std::to_string(::getpid()));
  WorldOf worlds_ = [](const std::vector<std::string>& assignments) { return PageJson(assignments).dump(); };
  std::unique_ptr<McapWriter> writer_;
  std::map<std::string, std::uint16_t> channels_;
  LinkTableEncoder links_;
  CountEncoder counts_;
};

TEST_F(RecordedRunTest, HasAReportEachSecondWithoutAbsentFields) {
  begin();
  lay_out(0);
  count(1, 10, 0);
  say(kPositionsTopic, 1.5, R"({"sim_s": 1.5, "robots": {"red": {"x": 1, "y": 2, "z": 3}}})");
  count(2, 15, 5);
  end();

  const Shown record = shown();
  ASSERT_EQ(record.reports.size(), 2U);
  EXPECT_EQ(record.reports[1]["at"], (kBegan + 2) * 1000);
  const PageJson& status = record.status(1);
  EXPECT_EQ(status["run"], "flight");
  EXPECT_EQ(status["uptime_s"], 2);
  EXPECT_EQ(status["totals"]["out"], 15);
  EXPECT_EQ(status["window"]["sim_time_s"], 2);
  EXPECT_EQ(status["links"][0]["from"], "red");
  EXPECT_EQ(status["links"][0]["snr_db"], 20);
  EXPECT_EQ(status["links"][0]["released"], 15);
  EXPECT_EQ(status["links"][0]["dropped"]["lost_on_air"], 5);
  EXPECT_EQ(record.status(0)["findings"], PageJson::array());
  EXPECT_EQ(status["findings"][0]["text"], "red -> blue: frames are lost (50 %)");
  EXPECT_EQ(status["links"][0]["reasons"][0], "Nothing stands out: the drop reasons name what became of the frames.");
  EXPECT_FALSE(status["links"][1]["reachable"].get<bool>());
  EXPECT_THAT(status["robots"][0]["position"], ElementsAre(1, 2, 3));
  for (const char* absent : {"conditions", "ports", "loop", "media", "clock", "stations"}) {
    EXPECT_FALSE(status.contains(absent)) << absent;
  }
  EXPECT_FALSE(status["robots"][1].contains("position"));
  EXPECT_EQ(record.about["run"], "flight");
  EXPECT_EQ(record.about["first_ms"], kBegan * 1000);
  EXPECT_EQ(record.about["last_ms"], (kBegan + 2) * 1000);
  EXPECT_EQ(record.about["end"], "");
}

TEST_F(RecordedRunTest, ReplaysEventsAndScenes) {
  begin();
  lay_out(0);
  count(1, 0, 0);
  say(kChangesTopic, 1.5, R"({"what": "set", "values": ["physics.obstacles=[]"], "configuration": ""})");
  say(kLogTopic, 1.5, R"({"level": "info", "text": "set: physics.obstacles=[]"})");
  say(kLogTopic, 1.6, R"({"level": "warning", "text": "port red: gone"})");
  say(kChangesTopic, 1.7, R"({"what": "pause"})");
  lay_out(1.8);
  count(2, 0, 0);
  say(kChangesTopic, 2.5, R"({"what": "set_back", "values": ["physics.obstacles"], "configuration": ""})");
  count(3, 0, 0);
  say(kEndTopic, 3, R"({"why": "", "status": {}})");
  end();

  const Shown record = shown();
  std::vector<std::string> events;
  for (const PageJson& each : record.about["events"]) {
    events.push_back(each["kind"].get<std::string>() + " " + each["text"].get<std::string>());
  }
  EXPECT_THAT(events, ElementsAre("change set: physics.obstacles=[]", "bad port red: gone", "change pause",
                                  "change set back: physics.obstacles", "note the run ended"));
  EXPECT_EQ(record.status(1)["assignments"], PageJson({"physics.obstacles=[]"}));
  EXPECT_EQ(record.status(2)["assignments"], PageJson::array());
  ASSERT_EQ(record.about["worlds"].size(), 3U);
  EXPECT_EQ(record.about["worlds"][1]["at"], kBegan * 1000 + 1500);
  EXPECT_EQ(record.about["worlds"][1]["world"], PageJson({"physics.obstacles=[]"}));
}

TEST_F(RecordedRunTest, OfALongRunHasFewerReportsEvenly) {
  begin();
  lay_out(0);
  for (int second = 1; second <= 100; ++second) {
    count(second, static_cast<std::uint64_t>(second), 0);
  }
  end();

  const Shown few = shown({.reports = 30});
  EXPECT_EQ(few.about["step_s"], 4);
  ASSERT_EQ(few.reports.size(), 25U);
  for (std::size_t i = 0; i < few.reports.size(); ++i) {
    EXPECT_EQ(few.status(i)["totals"]["out"], 1 + 4 * i);
  }
  const Shown small = shown({.bytes = 10'000});
  EXPECT_GE(small.reports.size(), 2U);
  EXPECT_LT(small.reports.size(), 30U);
}

TEST_F(RecordedRunTest, OfAStationIsTheWayByItsAccessPoint) {
  begin();
  say(kLayoutTopic, 0,
      R"({"robots": ["red", "blue"], "access_points": ["hall"], "modes": [{"rate_mbps": 54, "frame_bits": 12000}],
          "drop_reasons": ["lost_on_air"]})");
  LinkTable table;
  table.links.resize(9);
  table.links[2] = {.delay = Nanoseconds{1600}, .rssi_dbm = -60, .snr_db = 30};   // red > hall
  table.links[7] = {.delay = Nanoseconds{16000}, .rssi_dbm = -80, .snr_db = 10};  // hall > blue
  table.attachments = {{.state = AttachmentState::kAttached, .at = RobotIndex{2}},
                       {.state = AttachmentState::kAttached, .at = RobotIndex{2}}};
  say(kLinksTopic, 0, links_.encode(table));
  say(kCountsTopic, 1, counts_.encode(9, [](std::size_t) { return LinkCounts{}; }));
  table.attachments[1] = {.state = AttachmentState::kRoaming};
  say(kLinksTopic, 1.5, links_.encode(table));
  say(kCountsTopic, 2, counts_.encode(9, [](std::size_t) { return LinkCounts{}; }));
  end();

  const Shown record = shown();
  const PageJson& link = record.status(0)["links"][0];
  EXPECT_TRUE(link["reachable"].get<bool>());
  EXPECT_EQ(link["snr_db"], 10);
  EXPECT_DOUBLE_EQ(link["delay_us"].get<double>(), 17.6);
  EXPECT_EQ(record.status(0)["stations"][1]["access_point"], "hall");
  EXPECT_FALSE(record.status(1)["links"][0]["reachable"].get<bool>());
  EXPECT_EQ(record.status(1)["stations"][1]["state"], "roaming");
}

TEST_F(RecordedRunTest, OfAKilledRunIsReadToItsLastEntry) {
  begin();
  lay_out(0);
  for (int second = 1; second <= 20; ++second) {
    count(second, static_cast<std::uint64_t>(second), 0);
    writer_->end_chunk();
  }
  end();
  std::filesystem::resize_file(file(), std::filesystem::file_size(file()) / 2);

  const Shown record = shown();
  EXPECT_GE(record.reports.size(), 2U);
  EXPECT_LT(record.reports.size(), 20U);
  EXPECT_THAT(record.about["end"].get<std::string>(), HasSubstr("has no end"));
}

TEST_F(RecordedRunTest, WithoutASecondIsRefused) {
  begin();
  lay_out(0);
  end();
  EXPECT_THAT([this] { static_cast<void>(shown()); },
              ThrowsMessage<std::runtime_error>(HasSubstr("has nothing to show")));
}

TEST_F(RecordedRunTest, NonRecordsAreRefused) {
  EXPECT_THAT([this] { static_cast<void>(shown()); }, ThrowsMessage<std::runtime_error>(HasSubstr("is no record")));
  std::ofstream(file()) << "name: a configuration\n";
  EXPECT_THROW(static_cast<void>(shown()), std::runtime_error);
}

}  // namespace
}  // namespace hilgate::test
