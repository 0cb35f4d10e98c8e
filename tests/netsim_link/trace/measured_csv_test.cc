// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>

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

// A capital B is a byte, in a name as in the configuration.
TEST(MeasuredCsv, BytesAreNotBits) {
  const auto rate = [](const std::string& column, const CsvColumns& columns = {}) {
    return read_text("time_s," + column + "\n0,2\n1,2\n", TraceFormat::kCsv, columns).entries[0].bits_per_second;
  };
  EXPECT_EQ(rate("throughput_MBps"), 16e6);
  EXPECT_EQ(rate("Throughput (kB/s)"), 16e3);
  EXPECT_EQ(rate("rate [Bps]"), 16);
  EXPECT_EQ(rate("throughput_Mbps"), 2e6);
  EXPECT_EQ(rate("THROUGHPUT MBIT/S"), 2e6);
  EXPECT_EQ(rate("down", columns_of({{CsvValue::kRate, {"down", "MB/s"}}})), 16e6);
}

// No number of minutes is taken for one of seconds.
TEST(MeasuredCsv, TimesAreInTheUnitOfTheirColumn) {
  const auto span = [](const std::string& column) {
    return read_text(column + ",rate_mbps\n0,1\n3,2\n", TraceFormat::kCsv).entries[1].at;
  };
  EXPECT_EQ(span("time (milliseconds)"), 3ms);
  EXPECT_EQ(span("Elapsed [usec]"), 3us);
  EXPECT_EQ(
      csv_faults("time (min),rate_mbps\n0,1\n"),
      "link.trace:2: time (min) is '0', in 'min' by its name; allowed: s, ms, us or ns: convert it, or write what "
      "it is in as `time: {column: time (min), unit: s}` under 'columns'");
  EXPECT_NE(csv_faults("elapsed hours,rate_mbps\n1.5,1\n").find("in 'hours' by its name"), std::string::npos);
  EXPECT_EQ(csv_faults("time (24 h),rate_mbps\n2024-04-19 17:04:43,1\n"), "");
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
  EXPECT_THAT(csv_faults("time,rate_bps\n2023-02-28T00:00:00Z,1\n2023-02-29T00:00:00Z,1\n"),
              testing::HasSubstr("link.trace:3: "));
}

TEST(MeasuredCsv, TakesHowLongARowHolds) {
  const Trace trace = read_text("duration_s,bandwidth_kbps\n0.5,100\n1.5,200\n", TraceFormat::kCsv);
  EXPECT_EQ(trace.entries[1].at, 500ms);
  EXPECT_EQ(trace.length, 2s);
  EXPECT_EQ(csv_faults("duration_s,bandwidth_kbps\n0,100\n"),
            "link.trace:2: duration_s is '0'; allowed: above 0, up to 366 days");
}

TEST(MeasuredCsv, ErrorsNameLineAndAllowedValues) {
  EXPECT_EQ(
      csv_faults("time_s,rate_mbps\n1,5\n0.5,5\n"),
      "link.trace:3: time_s is '0.5', before that of the row in front; allowed: the same or later; `times: sort` puts "
      "rows in order, `times: hold` lets such a row begin with the one in front");
  EXPECT_EQ(csv_faults("time_s,rate_mbps\n1,-5\n"), "link.trace:2: rate_mbps is '-5'; allowed: a number, 0 or more");
  EXPECT_EQ(csv_faults("time_s,rate_mbps\n1,nan\n"), "link.trace:2: rate_mbps is 'nan'; allowed: a number, 0 or more");
  EXPECT_EQ(csv_faults("time_s,rate_mbps\n1,inf\n2,1e400\n"),
            "link.trace:2: rate_mbps is 'inf'; allowed: a number, 0 or more\n"
            "link.trace:3: rate_mbps is '1e400'; allowed: a number, 0 or more");
  EXPECT_EQ(csv_faults("time_s,rate_mbps\n1\n2,3\n"), "link.trace:2: has 1 columns; allowed: 2, as the first line");
  EXPECT_EQ(csv_faults("time_s,loss_pct\n1,101\n"), "link.trace:2: loss_pct is '101'; allowed: 0 to 100");
  EXPECT_EQ(csv_faults("time_s,rate_mbps\nnoon,1\n"), "link.trace:2: time_s is 'noon'; allowed: a number");
  EXPECT_NE(csv_faults("when,rate_mbps\n1,1\n").find("link.trace:1: has no column of a time; its columns are when"),
            std::string::npos);
  EXPECT_NE(csv_faults("time_s,speed\n1,1\n").find("has no column of a rate, delay, loss, SINR or CQI"),
            std::string::npos);
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

TEST(MeasuredCsv, EqualInstantsAreNotEarlier) {
  for (const char* text :
       {"time,rate_mbps\n2024-04-19 17:04:43.001000000,1\n2024-04-19 17:04:43.001000000,2\n"
        "2024-04-19 17:04:44.001355776,3\n2024-04-19 17:04:44.001355776,4\n",
        "time,rate_mbps\n1713546283.001,1\n1713546283.001,2\n1713546284.001355776,3\n1713546284.001355776,4\n",
        "time_ns,rate_mbps\n1713546283001000000,1\n1713546283001000000.0,2\n1.713546284001355776e18,3\n"
        "1713546284001355776,4\n",
        "time_ms,rate_mbps\n-1e3,1\n-1000,2\n0.355776,3\n+00.355776,4\n"}) {
    const Trace trace = read_text(text, TraceFormat::kCsv);
    ASSERT_EQ(trace.entries.size(), 4U) << text;
    EXPECT_EQ(trace.entries[1].at, 0ns) << text;
    EXPECT_EQ(trace.entries[2].at, 1'000'355'776ns) << text;
    EXPECT_EQ(trace.entries[3].at, 1'000'355'776ns) << text;
    EXPECT_EQ(trace.length, 2 * 1'000'355'776ns) << text;
  }
}

TEST(MeasuredCsv, InstantsStayApart) {
  const Trace nanoseconds = read_text(
      "time,rate_mbps\n2024-04-19 17:04:43.999999999,1\n2024-04-19 17:04:44.000000000,2\n", TraceFormat::kCsv);
  EXPECT_EQ(nanoseconds.entries[1].at, 1ns);
  const Trace closer = read_text("time,rate_mbps\n2024-04-19 17:04:43.9999999999,1\n2024-04-19 17:04:44.000000000,2\n",
                                 TraceFormat::kCsv);
  EXPECT_EQ(closer.entries[1].at, 1ns) << "each instant is rounded down";
  EXPECT_TRUE(closer.notes.empty());
  const Trace same = read_text("time_us,rate_mbps\n0,0\n1.0001,1\n1.0002,2\n", TraceFormat::kCsv);
  EXPECT_EQ(same.entries[2].at, same.entries[1].at);
  EXPECT_EQ(same.notes.at(0), "1 row begins in the nanosecond of the row before, whose values do not hold");
}

TEST(MeasuredCsv, OffsetsFromUtcMayChange) {
  const auto second_row = [](std::string_view first, std::string_view second) {
    const Trace trace = read_text(fmt::format("time,rate_mbps\n{},1\n{},2\n", first, second), TraceFormat::kCsv);
    return trace.entries.at(1).at;
  };
  EXPECT_EQ(second_row("2024-10-27 02:59:59+02:00", "2024-10-27 02:00:01+01:00"), 2s) << "summer time ends";
  EXPECT_EQ(second_row("2024-10-27T02:59:59.5+0200", "2024-10-27T02:00:01.25 +01"), 1750ms);
  EXPECT_EQ(second_row("2024-03-10 01:59:59-05:00", "2024-03-10 03:00:00-04:00"), 1s);
  EXPECT_EQ(second_row("2024-12-31T23:59:59Z", "2025-01-01 01:30:00+01:30"), 1s);
  EXPECT_EQ(second_row("2024-10-27 10:00:00 CEST", "2024-10-27 10:00:01 CEST"), 1s);
  EXPECT_EQ(second_row("2024-10-27 11:59:59 AM", "2024-10-27 12:00:01 PM"), 2s);
  EXPECT_NE(csv_faults("time,rate_mbps\n2024-10-27 02:59:59 CEST,1\n2024-10-27 02:00:01 CET,2\n")
                .find(":3: time is '2024-10-27 02:00:01 CET', and rows before it are of the zone 'CEST'; allowed: one "
                      "zone, or an offset from UTC in all rows, as +02:00"),
            std::string::npos);
  EXPECT_NE(
      csv_faults("time,rate_mbps\n2024-10-27 02:59:59+02:00,1\n2024-10-27 03:00:01,2\n").find("of the zone 'UTC'"),
      std::string::npos);
}

TEST(MeasuredCsv, TextAfterADateIsRead) {
  for (const char* time : {"2024-10-27 02:59:59+2", "2024-10-27 02:59:59 +02:00 x", "2024-10-27 02:59:59x7",
                           "2024-10-27 13:00:00 PM", "24-10-27 02:59:59"}) {
    EXPECT_NE(csv_faults(fmt::format("time,rate_mbps\n{},1\n", time)).find("allowed: a number of seconds, or a date"),
              std::string::npos)
        << time;
  }
  EXPECT_NE(csv_faults("time,rate_mbps\n1713546283001,1\n1713546284001,1\n")
                .find("no unit says that these are not seconds; write it as `time: {column: time, unit: ms}`"),
            std::string::npos);
}

// 2000 rows of 10 ms; the clock is set back by 1 s in the middle.
std::string set_back() {
  std::string text = "time_s,rate_mbps\n";
  for (int row = 0; row < 2000; ++row) {
    text += fmt::format("{:.3f},{}\n", 1713546283 + 0.01 * row - (row < 1000 ? 0 : 1), row);
  }
  return text;
}

TEST(MeasuredCsv, ClockSetBackIsAFaultUnlessConfigured) {
  EXPECT_NE(csv_faults(set_back()).find("`times: sort` puts rows in order"), std::string::npos);

  CsvColumns columns;
  columns.order = CsvOrder::kSort;
  const Trace sorted = read_text(set_back(), TraceFormat::kCsv, columns);
  ASSERT_EQ(sorted.entries.size(), 2000U);
  EXPECT_EQ(sorted.length, 19s);
  EXPECT_EQ(sorted.entries[901].bits_per_second, 1000e6) << "9 s: row 900, then row 1000";
  EXPECT_EQ(sorted.entries[902].bits_per_second, 901e6);
  EXPECT_EQ(sorted.notes.at(0), "99 rows are earlier than a row before, by at most 0.99 s: sorted by time");

  columns.order = CsvOrder::kHold;
  const Trace held = read_text(set_back(), TraceFormat::kCsv, columns);
  ASSERT_EQ(held.entries.size(), 2000U);
  EXPECT_EQ(held.length, 19s);
  EXPECT_EQ(held.entries[1000].at, 9990ms);
  EXPECT_EQ(held.entries[1099].at, 9990ms);
  EXPECT_EQ(held.entries[1100].at, 10s);
  EXPECT_EQ(held.notes.at(0), "99 rows are earlier than a row before, by at most 0.99 s: begin with the row in front");
}

TEST(MeasuredCsv, SortedRowsMayBeginBeforeTheFirst) {
  CsvColumns columns;
  columns.order = CsvOrder::kSort;
  const Trace trace = read_text("time_s,rate_mbps\n5,1\n4,2\n4,3\n7,4\n", TraceFormat::kCsv, columns);
  ASSERT_EQ(trace.entries.size(), 4U);
  EXPECT_EQ(trace.entries[0].bits_per_second, 2e6);
  EXPECT_EQ(trace.entries[1].bits_per_second, 3e6) << "equal ones stay as they are";
  EXPECT_EQ(trace.entries[2].at, 1s);
  EXPECT_EQ(trace.length, 5s);
  EXPECT_NE(
      faults_of("time_s,rate_mbps\n40000000,1\n1,2\n", TraceFormat::kCsv, columns).find("allowed: up to 366 days"),
      std::string::npos);
}

TEST(MeasuredCsv, WithoutAHeaderColumnsHaveNumbers) {
  EXPECT_EQ(csv_faults("0.5,1.25,30\n1.5,2.5,40\n"),
            "link.trace:1: has no header: the first line is a row of 3 values; say under 'columns' which is which, by "
            "its number and with its unit, as `time: {column: 1, unit: s}` and `rate: {column: 2, unit: Mbit/s}`");
  const CsvColumns columns = columns_of({{CsvValue::kTime, {"1", "s"}}, {CsvValue::kRate, {"2", "Mbit/s"}}});
  for (const char* text : {"0.5,1.25,30\n1.5,2.5,40\n", "0.5 1.25 30\n1.5  2.5 40\n", "0.5\t1.25\t\n1.5\t2.5\tnan\n"}) {
    const Trace trace = read_text(text, TraceFormat::kCsv, columns);
    ASSERT_EQ(trace.entries.size(), 2U);
    EXPECT_EQ(trace.entries[0].bits_per_second, 1.25e6);
    EXPECT_EQ(trace.entries[1].at, 1s);
  }
  EXPECT_NE(csv_faults("0.5,1.25\n", columns_of({{CsvValue::kRate, {"3", "Mbit/s"}}})).find("its columns are 1, 2"),
            std::string::npos);
  const Trace blanks = read_text("time_s  rate_mbps\n0 5\n1 6\n", TraceFormat::kCsv);
  EXPECT_EQ(blanks.entries.at(1).bits_per_second, 6e6) << "blanks are separators, too";
}

TEST(MeasuredCsv, FindsSinrAndCqi) {
  for (const char* name : {"SINR", "snr_db", "SNR (dB)", "rssnr", "SS-SINR"}) {
    const Trace trace = read_text(fmt::format("time_s,{},delay_ms\n0,-3.5,10\n1,27,20\n", name), TraceFormat::kCsv);
    ASSERT_EQ(trace.entries.size(), 2U) << name;
    EXPECT_TRUE(trace.has_sinr && trace.has_delay && !trace.has_rate && !trace.has_cqi);
    EXPECT_EQ(trace.entries[0].sinr_db, -3.5);
    EXPECT_EQ(trace.entries[1].sinr_db, 27);
    EXPECT_EQ(trace.entries[1].delay, 20ms);
  }
  const Trace cqi = read_text("t_s,CQI\n0,0\n1,15\n", TraceFormat::kCsv);
  EXPECT_TRUE(cqi.has_cqi && !cqi.has_sinr);
  EXPECT_EQ(cqi.entries[0].cqi, 0);
  EXPECT_EQ(cqi.entries[1].cqi, 15);
  const Trace numbered = read_text("0,13,13\n1,9,14\n", TraceFormat::kCsv,
                                   columns_of({{CsvValue::kTime, {"1", "s"}}, {CsvValue::kCqi, {"3", ""}}}));
  EXPECT_EQ(numbered.entries.at(1).cqi, 14);
  const Trace named =
      read_text("time_s,LW1,LW2\n0,-99.0,4\n", TraceFormat::kCsv, columns_of({{CsvValue::kSinr, {"LW1", "dB"}}}));
  EXPECT_EQ(named.entries.at(0).sinr_db, -99) << "how some logs write that there was no signal";
}

TEST(MeasuredCsv, RefusesWhatIsNoSinrOrCqi) {
  for (const char* wrong : {"nan", "inf", "100.1", "-101", "12dB"}) {
    EXPECT_EQ(csv_faults(fmt::format("time_s,sinr\n0,5\n1,{}\n", wrong)),
              fmt::format("link.trace:3: sinr is '{}'; allowed: a number of dB, -100 to 100", wrong));
  }
  EXPECT_EQ(csv_faults("time_s,sinr\n0,\n1,2\n"),
            "link.trace:2: sinr is missing; allowed: a number of dB, -100 to 100");
  for (const char* wrong : {"16", "-1", "7.5", "nan"}) {
    EXPECT_EQ(csv_faults(fmt::format("time_s,cqi\n0,{}\n1,2\n", wrong)),
              fmt::format("link.trace:2: cqi is '{}'; allowed: a whole number, 0 (out of range) to 15", wrong));
  }
  EXPECT_EQ(
      csv_faults("time_s,rate_mbps,SNR\n0,5,1\n"),
      "link.trace:1: has columns of rate, 'rate_mbps', and of sinr, 'SNR', and each of them would decide the rate; "
      "name the columns that are to be played, with one of the two, under 'columns'");
  EXPECT_THAT(csv_faults("time_s,sinr,cqi\n0,5,1\n"), testing::HasSubstr("of sinr, 'sinr', and of cqi, 'cqi'"));
  EXPECT_THAT(csv_faults("time_s,SINR,SNR\n0,5,1\n"), testing::HasSubstr("'SINR' and 'SNR' may both be the sinr"));
  EXPECT_EQ(csv_faults("time_s,rate_mbps,SNR\n0,5,1\n", columns_of({{CsvValue::kRate, {"rate_mbps", ""}}})), "")
      << "the column that is named excludes the other";
  EXPECT_THAT(csv_faults("time_s,sinr\n0,5\n", columns_of({{CsvValue::kSinr, {"sinr", "dBm"}}})),
              testing::HasSubstr("is to have the unit 'dBm'; allowed for sinr: db"));
}

// As a modem's logger writes it: months by name, a row without a cell, a last row that was cut off.
TEST(MeasuredCsv, ReadsTheLogOfAModem) {
  const std::string text =
      "Date Time,PCI,RSRP,RSSI,SINR\n2025/Mar/18 11:30:29,78,-92,-63,11\n2025/Mar/18 11:30:31,,,,\n"
      "2025/Apr/01 00:00:00,78,-92,-62,10\n2025/Apr/01 00:00:02\n";
  CsvColumns columns;
  columns.fill_gaps = true;
  const Trace trace = read_text(text, TraceFormat::kCsv, columns);
  ASSERT_EQ(trace.entries.size(), 3U);
  EXPECT_EQ(trace.entries[1].at, 2s);
  EXPECT_EQ(trace.entries[1].sinr_db, 11) << "as the row before";
  EXPECT_EQ(trace.entries[2].at, 13 * 24h + 12h + 29min + 31s);
  EXPECT_EQ(trace.notes.size(), 1U);
  EXPECT_THAT(csv_faults("time,sinr\n2025/Mai/18 11:30:29,1\n2025/Mai/18 11:30:30,1\n"),
              testing::HasSubstr("or a date"));
}

TEST(MeasuredCsv, ACutOffFileIsReadToItsLastWholeEntry) {
  const Trace trace = read_text("time_s,rate_mbps\n0,5\n1,6\n2", TraceFormat::kCsv);
  EXPECT_EQ(trace.entries.size(), 2U);
  EXPECT_EQ(trace.notes.size(), 1U);
}

}  // namespace
}  // namespace hilgate::test
