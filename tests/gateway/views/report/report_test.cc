// SPDX-License-Identifier: Apache-2.0
// Pages about records that are made here.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "gateway/record/count_codec.h"
#include "gateway/record/link_table_codec.h"
#include "gateway/record/run_layout.h"
#include "gateway/views/report/chart.h"
#include "gateway/views/report/report_page.h"
#include "host/mcap/mcap_writer.h"

namespace hilgate::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class ReportTest : public ::testing::Test {
 protected:
  ReportTest() { std::filesystem::create_directories(folder_); }
  ~ReportTest() override { std::filesystem::remove_all(folder_); }

  /// Ten seconds of red>blue: 100 frames of 1000 bytes a second, of which one in four is lost from 5 s on.
  [[nodiscard]] std::filesystem::path record(const std::string& run) const {
    const std::filesystem::path file = folder_ / (run + ".mcap");
    McapWriter writer(file, "a test");
    const auto add = [&](const char* topic) { return writer.add_channel({.topic = topic}); };
    const auto run_channel = add(kRunTopic), layout_channel = add(kLayoutTopic), links = add(kLinksTopic),
               counts = add(kCountsTopic), totals = add(kTotalsTopic), positions = add(kPositionsTopic),
               changes = add(kChangesTopic);
    writer.write(run_channel, at(0), fmt::format(R"({{"run":"{}","seed":7,"began":"20261123T000000Z"}})", run));
    writer.write(layout_channel, at(0),
                 R"({"robots":["red","<blue>"],"access_points":[],"modes":[{"rate_mbps":6.0,"frame_bits":12000}],)"
                 R"("drop_reasons":["lost_on_air"]})");
    LinkTableEncoder table_encoder;
    CountEncoder count_encoder;
    LinkTable table;
    table.links.resize(4);
    LinkCounts link;
    for (int second = 0; second <= 10; ++second) {
      table.links[1].snr_db = static_cast<float>(40 - second);
      writer.write(links, at(second), table_encoder.encode(table));
      link.deliveries += second > 0 ? 100 : 0;
      link.dropped[0] += second > 5 ? 25 : 0;
      link.released = link.deliveries - link.dropped[0];
      link.bytes_released = 1000 * link.released;
      writer.write(counts, at(second),
                   count_encoder.encode(4, [&](std::size_t i) { return i == 1 ? link : LinkCounts{}; }));
      writer.write(totals, at(second),
                   fmt::format(R"({{"totals":{{"in":{},"out":{},"dropped_total":{},"dropped":{{"lost_on_air":{}}},)"
                               R"("bytes_released":{}}}}})",
                               link.deliveries, link.released, link.dropped[0], link.dropped[0], link.bytes_released));
      writer.write(positions, at(second), fmt::format(R"({{"robots":{{"red":{{"x":{},"y":0,"z":0}}}}}})", second));
    }
    writer.write(changes, at(5), R"({"what":"set","values":["links.red.<blue>.loss=25 %"]})");
    writer.finish();
    return file;
  }

 private:
  static Nanoseconds at(int second) { return std::chrono::seconds(1'700'000'000 + second); }
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("hilgate-report-" + std::to_string(::getpid()));
};

TEST_F(ReportTest, StoryEqualsTheRecord) {
  const RunStory story = RunStory::of(record("flight"));
  EXPECT_TRUE(story.end.whole);
  EXPECT_EQ(story.said("run"), "flight");
  EXPECT_EQ(story.said("seed"), "7");
  EXPECT_EQ(story.seconds, 10);
  ASSERT_EQ(story.links.size(), 1U);
  const RunStory::Link& link = story.links.front();
  EXPECT_EQ(link.name, "red><blue>");
  EXPECT_EQ(link.in, 1000U);
  EXPECT_EQ(link.dropped.at("lost_on_air"), 125U);
  EXPECT_EQ(link.snr_db.size(), 11U);
  const RunStory::Series rates = rate_of(link.delivered, 480);
  ASSERT_EQ(rates.size(), 10U);
  EXPECT_EQ(rates.front().second, 100);
  EXPECT_EQ(rates.back().second, 75);
  ASSERT_EQ(story.events.size(), 1U);
  EXPECT_EQ(story.events.front().at, 5);
}

TEST_F(ReportTest, PageIsSelfContained) {
  const std::string page = report_page({RunStory::of(record("flight"))});
  EXPECT_THAT(page, HasSubstr("lost_on_air 125"));
  EXPECT_THAT(page, HasSubstr("125 (12.50 %)"));
  EXPECT_THAT(page, HasSubstr("red&gt;&lt;blue&gt;"));
  EXPECT_THAT(page, HasSubstr("links.red.&lt;blue&gt;.loss=25 %"));
  EXPECT_THAT(page, HasSubstr("SNR, dB"));
  EXPECT_THAT(page, HasSubstr("<h3>Map</h3>"));
  EXPECT_THAT(page, Not(HasSubstr("Rate of all links together")));
  for (const char* foreign : {"<blue>", "http:", "https:", "src=", "href=", "nan", "inf"}) {
    EXPECT_THAT(page, Not(HasSubstr(foreign)));
  }
}

TEST_F(ReportTest, SeveralRunsAreCompared) {
  const std::string page = report_page({RunStory::of(record("one")), RunStory::of(record("two"))});
  EXPECT_THAT(page, HasSubstr("<title>hilgate: one, two</title>"));
  EXPECT_THAT(page, HasSubstr("Rate of all links together"));
}

TEST_F(ReportTest, UnfinishedRecordIsMarkedAsSuch) {
  const std::filesystem::path file = record("cut");
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 40);
  EXPECT_THAT(report_page({RunStory::of(file)}), HasSubstr("The record has no end"));
  std::filesystem::resize_file(file, 40);
  const std::string page = report_page({RunStory::of(file)});
  EXPECT_THAT(page, HasSubstr("The record has no end"));
  EXPECT_THAT(page, Not(HasSubstr("<h3>Map</h3>")));
}

TEST(Chart, ValuesOfOneKindHaveAnAxis) {
  EXPECT_THAT(chart_svg({.y_label = "y", .lines = {{"a", {{0, 5}, {1, 5}}}}, .most = 1}), HasSubstr("<polyline"));
  EXPECT_THAT(chart_svg({.y_label = "y", .lines = {{"a", {{0, 0}}}}, .most = 0}), Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace hilgate::test
