// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/netsim_link/trace/trace_texts.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

std::string theaterq_faults(std::string_view text) {
  return faults_of(text, TraceFormat::kTheaterQ);
}

TEST(TheaterQ, ReadsTheSimpleForm) {
  const Trace trace =
      read_text("# a comment\n1000,20000000,8000000,42949673,100\n\n500,0,-1,0,0\n250,1,0,4294967295,7\n",
                TraceFormat::kTheaterQ);
  ASSERT_EQ(trace.entries.size(), 3U);
  EXPECT_EQ(trace.length, 1750us);
  EXPECT_EQ(trace.entries[0].delay, 20ms);
  EXPECT_EQ(trace.entries[0].bits_per_second, 8e6);
  EXPECT_NEAR(trace.entries[0].loss, 0.01, 1e-8);
  EXPECT_EQ(trace.entries[0].queue, 100U);
  EXPECT_EQ(trace.entries[1].at, 1ms);
  EXPECT_EQ(trace.entries[1].bits_per_second, kUnlimitedRate);
  EXPECT_EQ(trace.entries[2].at, 1500us);
  EXPECT_EQ(trace.entries[2].bits_per_second, 0);
  EXPECT_EQ(trace.entries[2].loss, 1);
  EXPECT_TRUE(trace.has_rate && trace.has_delay && trace.has_loss);
  EXPECT_TRUE(trace.notes.empty());
}

TEST(TheaterQ, ReadsTheExtendedForm) {
  const Trace trace = read_text("1000,20000000,300000,8000000,0,100,2147483648,5000,3,1\n", TraceFormat::kTheaterQ);
  ASSERT_EQ(trace.entries.size(), 1U);
  EXPECT_EQ(trace.entries[0].jitter, 300us);
  EXPECT_EQ(trace.entries[0].bits_per_second, 8e6);
  EXPECT_EQ(trace.entries[0].queue, 100U);
  EXPECT_NEAR(trace.entries[0].duplicate, 0.5, 1e-9);
  EXPECT_EQ(trace.entries[0].duplicate_after, 5us);
  EXPECT_EQ(trace.notes.size(), 1U) << "routes have no effect, which is said";
}

TEST(TheaterQ, ErrorsNameLineAndAllowedValues) {
  EXPECT_EQ(theaterq_faults("1000,0,1,0,0\n0,0,1,0,0\n"), "link.trace:2: KEEP is '0'; allowed: 1 us to 366 days");
  EXPECT_EQ(theaterq_faults("1000,nan,1,0,0\n"),
            "link.trace:1: LATENCY is 'nan'; allowed: 0 to 3600000000000 ns (1 h)");
  EXPECT_EQ(theaterq_faults("1000,-5,1,0,0\n"), "link.trace:1: LATENCY is '-5'; allowed: 0 to 3600000000000 ns (1 h)");
  EXPECT_EQ(theaterq_faults("1000,0,x,0,0\n"),
            "link.trace:1: RATE is 'x'; allowed: bit/s; 0 for nothing, -1 for no limit");
  EXPECT_EQ(theaterq_faults("1000,0,1,4294967296,0\n"),
            "link.trace:1: LOSS is '4294967296'; allowed: 0 to 4294967295 (100 %)");
  EXPECT_EQ(theaterq_faults("1000,0,1,0,0\n1000,0,1,0\n1000,0,1,0,0\n"),
            "link.trace:2: has 4 columns; allowed: 5, as the lines before");
  EXPECT_NE(theaterq_faults("1000,0,1\n").find("allowed: 5 (KEEP,LATENCY,RATE,LOSS,LIMIT)"), std::string::npos);
  EXPECT_EQ(theaterq_faults("# nothing\n"), "link.trace: has no whole entry of format theaterq");
  EXPECT_NE(theaterq_faults("9000000000000000000,0,1,0,0\n").find("KEEP is"), std::string::npos);
}

TEST(TheaterQ, NamesEveryWrongLineUpToTen) {
  std::string text;
  for (int i = 0; i < 100; ++i) {
    text += "1000,0,bad,0,0\n";
  }
  const std::string faults = theaterq_faults(text);
  EXPECT_EQ(std::count(faults.begin(), faults.end(), '\n'), 9);
}

TEST(TheaterQ, ACutOffFileIsReadToItsLastWholeEntry) {
  const Trace trace = read_text("1000,0,1000,0,0\n2000,0,1000,0,0\n3000,0,10", TraceFormat::kTheaterQ);
  EXPECT_EQ(trace.entries.size(), 2U);
  EXPECT_EQ(trace.length, 3ms);
  ASSERT_EQ(trace.notes.size(), 1U);
  EXPECT_EQ(trace.notes[0], "line 3 is cut off and left out: the trace ends with the entry before it");
  EXPECT_EQ(read_text("1000,0,1000,0,0", TraceFormat::kTheaterQ).entries.size(), 1U) << "whole without a line end";
}

}  // namespace
}  // namespace hilgate::test
