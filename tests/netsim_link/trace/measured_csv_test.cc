// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/netsim_link/trace/trace_texts.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

std::string csv_faults(std::string_view text, const CsvColumns& columns = {}) {
  return faults_of(text, TraceFormat::kCsv, columns);
}

CsvColumns columns_of(std::initializer_list<std::pair<CsvValue, CsvColumn>> named) {
  CsvColumns columns;
  for (const auto& [value, column] : named) {
    columns.named[static_cast<std::size_t>(value)] = column;
  }
  return columns;
}

TEST(MeasuredCsv, FindsColumnsAndUnitsByTheirNames) {
  const Trace trace = read_text(
      "time_ms,Throughput (Mbit/s),rtt_ms,loss %\n1000,8,40,1\n1001,0.5,60,0\n1003,0,20,100\n", TraceFormat::kCsv);
  ASSERT_EQ(trace.entries.size(), 3U);
  EXPECT_EQ(trace.entries[0].at, 0ms);
  EXPECT_EQ(trace.entries[1].at, 1ms);
  EXPECT_EQ(trace.entries[2].at, 3ms);
  EXPECT_EQ(trace.length, 5ms) << "the last row holds as long as the one before it";
  EXPECT_EQ(trace.entries[0].bits_per_second, 8e6);
  EXPECT_EQ(trace.entries[0].delay, 20ms) << "half of the round trip";
  EXPECT_NEAR(trace.entries[0].loss, 0.01, 1e-12);
  EXPECT_EQ(trace.entries[2].loss, 1);
}

TEST(MeasuredCsv, ReadsADriveTestWithDatesAndGaps) {
  // Columns as in the 5G production data set of Raca et al. (MMSys 2020).
  const std::string text =
      "Timestamp,Longitude,DL_bitrate,UL_bitrate,PINGAVG\n"
      "2019.12.14_23.59.58,-8.4,-,12,-\n"
      "2019.12.14_23.59.59,-8.4,20000,12,40\n"
      "2019.12.15_00.00.01,-8.4,-,13,-\n"
      "2019.12.15_00.00.01,-8.4,30000,13,50\n";
  CsvColumns columns = columns_of({{CsvValue::kRate, {"DL_bitrate", "kbit/s"}}, {CsvValue::kRtt, {"PINGAVG", "ms"}}});
  EXPECT_NE(csv_faults(text, columns).find("link.trace:2: DL_bitrate is '-'; allowed: a number, 0 or more"),
            std::string::npos);
  columns.fill_gaps = true;
  const Trace trace = read_text(text, TraceFormat::kCsv, columns);
  ASSERT_EQ(trace.entries.size(), 3U) << "it begins with the first row that has values";
  EXPECT_EQ(trace.entries[0].bits_per_second, 20e6);
  EXPECT_EQ(trace.entries[1].at, 2s) << "over midnight";
  EXPECT_EQ(trace.entries[1].bits_per_second, 20e6) << "as the row before";
  EXPECT_EQ(trace.entries[2].bits_per_second, 30e6);
  EXPECT_EQ(trace.entries[2].delay, 25ms);
  EXPECT_EQ(trace.length, 4s);
}

TEST(MeasuredCsv, ReadsEpochsIsoDatesSemicolonsAndQuotes) {
  const Trace epochs = read_text("t;rate_bps\n1714557600.25;1\n1714557600.75;2\n", TraceFormat::kCsv);
  EXPECT_EQ(epochs.entries[1].at, 500ms);
  const Trace dates =
      read_text("\"time\",\"delay, one way (us)\"\n\"2024-02-29T23:59:59.750Z\",\"1.5\"\n\"2024-03-01T00:00:00Z\",2\n",
                TraceFormat::kCsv);
  ASSERT_EQ(dates.entries.size(), 2U);
  EXPECT_EQ(dates.entries[0].delay, 1500ns);
  EXPECT_EQ(dates.entries[1].at, 250ms) << "in a leap year";
}

TEST(MeasuredCsv, TakesHowLongARowHolds) {
  const Trace trace = read_text("duration_s,bandwidth_kbps\n0.5,100\n1.5,200\n", TraceFormat::kCsv);
  EXPECT_EQ(trace.entries[1].at, 500ms);
  EXPECT_EQ(trace.length, 2s);
  EXPECT_EQ(csv_faults("duration_s,bandwidth_kbps\n0,100\n"),
            "link.trace:2: duration_s is '0'; allowed: above 0, up to 366 days");
}

TEST(MeasuredCsv, SaysWhichLineIsWrongAndWhatIsAllowed) {
  EXPECT_EQ(csv_faults("time_s,rate_mbps\n1,5\n0.5,5\n"),
            "link.trace:3: time_s is '0.5', before that of the row in front; allowed: the same or later");
  EXPECT_EQ(csv_faults("time_s,rate_mbps\n1,-5\n"), "link.trace:2: rate_mbps is '-5'; allowed: a number, 0 or more");
  EXPECT_EQ(csv_faults("time_s,rate_mbps\n1,nan\n"), "link.trace:2: rate_mbps is 'nan'; allowed: a number, 0 or more");
  EXPECT_EQ(csv_faults("time_s,rate_mbps\n1,inf\n2,1e400\n"),
            "link.trace:2: rate_mbps is 'inf'; allowed: a number, 0 or more\n"
            "link.trace:3: rate_mbps is '1e400'; allowed: a number, 0 or more");
  EXPECT_EQ(csv_faults("time_s,rate_mbps\n1\n2,3\n"), "link.trace:2: has 1 columns; allowed: 2, as the header");
  EXPECT_EQ(csv_faults("time_s,loss_pct\n1,101\n"), "link.trace:2: loss_pct is '101'; allowed: 0 to 100");
  EXPECT_EQ(csv_faults("time_s,rate_mbps\nnoon,1\n"), "link.trace:2: time_s is 'noon'; allowed: a number");
  EXPECT_NE(csv_faults("when,rate_mbps\n1,1\n").find("link.trace:1: has no column of a time; its columns are when"),
            std::string::npos);
  EXPECT_NE(csv_faults("time_s,speed\n1,1\n").find("has no column of a rate, delay or loss"), std::string::npos);
  EXPECT_NE(csv_faults("time_s,rate\n1,1\n").find("column 'rate' does not say its unit"), std::string::npos);
  EXPECT_NE(csv_faults("time_s,dl_throughput_mbps,ul_throughput_mbps\n1,1,1\n").find("may both be the rate"),
            std::string::npos);
  EXPECT_NE(csv_faults("time_s,rate_mbps\n1,1\n", columns_of({{CsvValue::kRate, {"x", "mbps"}}}))
                .find("has no column 'x'; its columns are time_s, rate_mbps"),
            std::string::npos);
  EXPECT_NE(csv_faults("time_s,rate\n1,1\n", columns_of({{CsvValue::kRate, {"rate", "mph"}}}))
                .find("is to have the unit 'mph'; allowed for rate: bit/s"),
            std::string::npos);
  EXPECT_EQ(csv_faults("time_s,rate_mbps\n"), "link.trace: has no whole entry of format csv");
}

TEST(MeasuredCsv, ACutOffFileIsReadToItsLastWholeEntry) {
  const Trace trace = read_text("time_s,rate_mbps\n0,5\n1,6\n2", TraceFormat::kCsv);
  EXPECT_EQ(trace.entries.size(), 2U);
  EXPECT_EQ(trace.notes.size(), 1U);
}

}  // namespace
}  // namespace hilgate::test
