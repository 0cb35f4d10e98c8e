// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/netsim_link/trace/trace_texts.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

// sim/env.py sends with cooked_bw[i] for cooked_time[i] - cooked_time[i - 1], from i = 1 on, and again from there.
TEST(PensieveTrace, ARateHoldsSinceTheRowInFront) {
  for (const char* text :
       {"0.0 1.25\n1.0 2.5\n3.5 0.7\n", "0.0\t1.25\n1.0\t2.5\n3.5\t0.7", "0 1.25\r\n1 2.5\r\n\n3.5   0.7 \n",
        "1713546283.25 1.25\n1713546284.25 2.5\n1713546286.75 0.7\n"}) {
    const Trace trace = parse_trace(text, "link.trace");
    EXPECT_EQ(trace.format, TraceFormat::kPensieve);
    ASSERT_EQ(trace.entries.size(), 2U) << text;
    EXPECT_EQ(trace.entries[0].at, 0s);
    EXPECT_EQ(trace.entries[0].bits_per_second, 2.5e6);
    EXPECT_EQ(trace.entries[1].at, 1s);
    EXPECT_EQ(trace.entries[1].bits_per_second, 0.7e6);
    EXPECT_EQ(trace.length, 3500ms);
    EXPECT_TRUE(trace.has_rate);
    EXPECT_NE(trace.notes.at(0).find("s and Mbit/s"), std::string::npos) << "nothing in the file says so";
  }
}

TEST(PensieveTrace, ErrorsNameTheLine) {
  const auto faults = [](std::string_view text) { return faults_of(text, TraceFormat::kPensieve); };
  EXPECT_EQ(faults("0 1\n1 2 3\n2 1\n"),
            "link.trace:2: has 3 columns; allowed: 2, the time in s and the rate in Mbit/s");
  EXPECT_EQ(faults("1 1\n0.5 2\n1 1\n"),
            "link.trace:2: the time is '0.5', before that of the row in front; allowed: the same or later");
  EXPECT_EQ(faults("0 1\n1 -2\n"), "link.trace:2: the rate is '-2'; allowed: a number of Mbit/s, 0 or more");
  EXPECT_EQ(faults("0 1\n1e9 2\n"),
            "link.trace:2: the time is '1e9', 11574 days after the row in front; allowed: up to "
            "366 days");
  EXPECT_EQ(faults("0 1\n"),
            "link.trace: has no span of time; allowed: two rows or more, the first of them at the beginning");
}

TEST(PensieveTrace, ACutOffFileIsReadToItsLastWholeRow) {
  const Trace trace = parse_trace("0 1\n1 2\n2", "link.trace");
  EXPECT_EQ(trace.entries.size(), 1U);
  EXPECT_NE(trace.notes.at(0).find("line 3 is cut off"), std::string::npos);
}

}  // namespace
}  // namespace hilgate::test
