// SPDX-License-Identifier: Apache-2.0
// What holds of all formats: what is written is read, and half a file is half a trace.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "netsim_link/trace/trace_command.h"
#include "netsim_link/trace/trace_report.h"
#include "tests/netsim_link/trace/trace_texts.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr int kSeeds = 50;

// The same random trace of rates, in each format.
struct Written {
  std::vector<std::pair<Nanoseconds, double>> steps{};  // how long, and the rate in bit/s
  std::string theaterq{};
  std::string json = R"({"TraceBwConfig":[)";
  std::string csv = "t_ms,rate_bps\n";

  explicit Written(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    Nanoseconds at{0};
    for (std::uint64_t i = 0, count = 2 + random() % 40; i < count; ++i) {
      const auto us = static_cast<std::int64_t>(1 + random() % 1'000'000);
      const auto rate = static_cast<std::int64_t>(random() % 1'000'000'000);
      theaterq += fmt::format("{},0,{},0,0\n", us, rate);
      json += fmt::format("{}[{},[{}]]", i == 0 ? "" : ",\n", static_cast<double>(us) / 1e3,
                          static_cast<double>(rate) / 1e6);
      csv += fmt::format("{},{}\n", static_cast<double>(at.count()) / 1e6, rate);
      steps.emplace_back(us * 1us, static_cast<double>(rate));
      at += us * 1us;
    }
    json += "]}";
  }
};

void expect_steps(const Trace& trace, const Written& written, bool ends = true) {
  ASSERT_EQ(trace.entries.size(), written.steps.size());
  Nanoseconds at{0};
  for (std::size_t i = 0; i < written.steps.size(); ++i) {
    EXPECT_LE(std::abs((trace.entries[i].at - at).count()), 1);
    EXPECT_NEAR(trace.entries[i].bits_per_second, written.steps[i].second, 1e-3);
    at += written.steps[i].first;
  }
  if (ends) {
    EXPECT_LE(std::abs((trace.length - at).count()), 1);
  }
}

TEST(TraceFiles, AllFormatsGiveTheSameTrace) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    const Written written(seed);
    expect_steps(parse_trace(written.theaterq, "a"), written);
    expect_steps(parse_trace(written.json, "a"), written);
    expect_steps(parse_trace(written.csv, "a"), written, false);
  }
}

// All but the last entry of a part are those of the whole; its last one may have lost digits.
TEST(TraceFiles, APartOfAFileIsAPartOfItsTrace) {
  const Written written(7);
  for (const std::string* text : {&written.theaterq, &written.json, &written.csv}) {
    const Trace whole = parse_trace(*text, "a");
    for (std::size_t size = 0; size < text->size(); ++size) {
      try {
        const Trace part = parse_trace(text->substr(0, size), "a", whole.format);
        ASSERT_LE(part.entries.size(), whole.entries.size());
        for (std::size_t i = 0; i + 1 < part.entries.size(); ++i) {
          ASSERT_EQ(part.entries[i].at, whole.entries[i].at);
          ASSERT_EQ(part.entries[i].bits_per_second, whole.entries[i].bits_per_second);
        }
      } catch (const ConfigError& error) {
        ASSERT_TRUE(std::string(error.what()).find("no whole entry") != std::string::npos || text == &written.csv)
            << error.what();
      }
    }
  }
}

TEST(TraceFiles, TheFormatIsSeenInTheFile) {
  EXPECT_EQ(guess_format("# c\n1000,0,-1,0,0\n"), TraceFormat::kTheaterQ);
  EXPECT_EQ(guess_format("0\n1\n"), TraceFormat::kMahimahi);
  EXPECT_EQ(guess_format("\n {\"a\": 1}"), TraceFormat::kNetemTrace);
  EXPECT_EQ(guess_format("time,rate\n1,2\n"), TraceFormat::kCsv);
  EXPECT_EQ(guess_format("0.0 1.25\n"), TraceFormat::kPensieve);
  EXPECT_EQ(guess_format("0\t1\r\n"), TraceFormat::kPensieve);
  EXPECT_EQ(guess_format("0.0 1.25 7\n"), TraceFormat::kCsv);
  EXPECT_EQ(guess_format("0.5,1.25\n"), TraceFormat::kCsv);
}

TEST(TraceFiles, TheReportCountsEntriesByTheirTime) {
  const TraceReport report =
      report_trace(parse_trace("1000,10000000,8000000,0,0\n3000,30000000,0,4294967295,0\n", "a"));
  EXPECT_NEAR(report.rate.mean, 2e6, 1);
  EXPECT_NEAR(report.delay.mean, 25, 1e-9);
  EXPECT_NEAR(report.loss.mean, 0.75, 1e-9);
  EXPECT_EQ(report.longest_silence_ms, 3);
  EXPECT_NEAR(report_trace(parse_trace("1\n1\n4\n8\n", "a")).rate.mean, 4 * 1504 * 8 / 8e-3, 1e-3);
  EXPECT_EQ(report_trace(parse_trace("1\n1\n4\n8\n", "a")).longest_silence_ms, 4);
}

TEST(TraceFiles, TheReportHasSinrAndCqi) {
  const Trace sinr = parse_trace("duration_s,sinr\n1,-10\n3,20\n", "a");
  EXPECT_NEAR(report_trace(sinr).sinr.mean, 12.5, 1e-9);
  EXPECT_EQ(report_text(sinr), "a: csv, 2 entries, 4 s\nsinr    mean 12.5 dB, -10 to 20 dB\n");
  EXPECT_NE(report_json(sinr).find(R"("sinr_db":{"max":20.0,"mean":12.5,"min":-10.0})"), std::string::npos);
  const Trace cqi = parse_trace("duration_s,cqi\n1,0\n3,12\n", "a");
  EXPECT_EQ(report_text(cqi), "a: csv, 2 entries, 4 s\ncqi     mean 9, 0 to 12, out of range 25 % of the time\n");
}

TEST(TraceFiles, ContentsAreOneLine) {
  EXPECT_EQ(contents_text(parse_trace("time_s,sinr,delay_ms\n0,-10,5\n1,20,-\n3,,4\n4.5,8,6\n", "a", std::nullopt,
                                      {.fill_gaps = true})),
            "csv of time_s, delay_ms, sinr, 4 rows in 6 s, the longest of 2 s, 2 with a gap; delay 4, 5, 6 ms; "
            "SINR -10, 20, 20 dB (least, median, greatest)");
  EXPECT_EQ(contents_text(parse_trace("1000,10000000,8000000,0,0\n3000,30000000,-1,4294967295,0\n", "a")),
            "theaterq, 2 rows in 0.004 s, the longest of 0.003 s; rate 8, unlimited, unlimited Mbit/s; "
            "delay 10, 30, 30 ms; loss 0, 100, 100 % (least, median, greatest)");
  EXPECT_EQ(contents_text(parse_trace("1\n1\n4\n8\n", "a")),
            "mahimahi, 4 delivery opportunities in 0.008 s, at most 4 ms apart; rate 6.016 Mbit/s on average");
  EXPECT_EQ(
      contents_text(parse_trace("duration_s,cqi\n1,0\n3,12\n5,", "a")),
      "csv of duration_s, cqi, 2 rows in 4 s, the longest of 3 s; CQI 0, 12, 12 (least, median, greatest); line 4 "
      "is cut off and left out: the trace ends with the entry before it");
}

TEST(TraceFiles, ThePlotHasAGraphForEachValue) {
  const auto graphs = [](std::string_view text) {
    const std::string svg = plot_trace(parse_trace(text, "a<b>&c"));
    EXPECT_EQ(svg.find("a<b>"), std::string::npos) << "names are escaped";
    EXPECT_EQ(svg.find("nan"), std::string::npos);
    std::size_t count = 0;
    for (std::size_t at = svg.find("<polyline"); at != std::string::npos; at = svg.find("<polyline", at + 1)) {
      ++count;
    }
    return count;
  };
  EXPECT_EQ(graphs("1000,10000000,8000000,0,0\n3000,30000000,0,4294967295,0\n"), 3U);
  EXPECT_EQ(graphs("1\n2\n"), 1U);
  EXPECT_EQ(graphs("t_s,delay_ms\n0,0\n"), 1U);
  EXPECT_EQ(graphs("t_s,sinr,loss_pct\n0,-7,0\n1,-3,0\n"), 2U) << "below 0 dB";
  EXPECT_EQ(graphs("t_s,cqi\n0,7\n"), 1U);
}

TEST(TraceFiles, ColumnsAreGivenByName) {
  CsvColumns columns;
  add_column(columns, "rate=DL:bitrate:kbit/s");
  add_column(columns, "time=when");
  EXPECT_EQ(columns.named[static_cast<std::size_t>(CsvValue::kRate)]->name, "DL:bitrate");
  EXPECT_EQ(columns.named[static_cast<std::size_t>(CsvValue::kRate)]->unit, "kbit/s");
  EXPECT_EQ(columns.named[static_cast<std::size_t>(CsvValue::kTime)]->name, "when");
  for (const char* wrong : {"rate", "rate=", "speed=x", ""}) {
    EXPECT_THROW(add_column(columns, wrong), std::invalid_argument);
  }
}

}  // namespace
}  // namespace hilgate::test
