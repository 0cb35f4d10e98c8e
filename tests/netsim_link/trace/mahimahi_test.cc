// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/netsim_link/trace/trace_texts.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

std::string mahimahi_faults(std::string_view text) {
  return faults_of(text, TraceFormat::kMahimahi);
}

TEST(Mahimahi, ReadsOpportunitiesAndTheirPeriod) {
  const Trace trace = read_text("0\n1\n1\n5\r\n12\n", TraceFormat::kMahimahi);
  EXPECT_EQ(trace.opportunities, (std::vector<Nanoseconds>{0ms, 1ms, 1ms, 5ms, 12ms}));
  EXPECT_EQ(trace.length, 12ms);
  EXPECT_TRUE(trace.has_rate);
  EXPECT_FALSE(trace.has_delay || trace.has_loss);
}

TEST(Mahimahi, RefusesTheInputsThatMahimahiRefuses) {
  EXPECT_EQ(mahimahi_faults("5\n4\n"),
            "link.trace:2: 4 ms is before 5 ms in the line before; allowed: the same or later");
  EXPECT_EQ(mahimahi_faults("5\n\n7\n"), "link.trace:2: '' is not an instant; allowed: whole milliseconds, one a line");
  EXPECT_EQ(mahimahi_faults("-5\n7\n"),
            "link.trace:1: '-5' is not an instant; allowed: whole milliseconds, one a line");
  EXPECT_EQ(mahimahi_faults("1\nnan\n7\n"),
            "link.trace:2: 'nan' is not an instant; allowed: whole milliseconds, one a line");
  EXPECT_EQ(mahimahi_faults("1.5\n7\n"),
            "link.trace:1: '1.5' is not an instant; allowed: whole milliseconds, one a line");
  EXPECT_EQ(mahimahi_faults("0\n0\n"),
            "link.trace:2: ends at 0 ms; allowed: a last opportunity after 0 ms, which is the trace's length");
  EXPECT_EQ(mahimahi_faults(""),
            "link.trace: has no delivery opportunity; allowed: one instant in milliseconds a line");
  EXPECT_NE(mahimahi_faults("99999999999999999999\n").find("is not an instant"), std::string::npos);
}

TEST(Mahimahi, ACutOffInstantIsLeftOut) {
  const Trace trace = read_text("100\n200\n20", TraceFormat::kMahimahi);  // of 205
  EXPECT_EQ(trace.length, 200ms);
  EXPECT_EQ(trace.notes.size(), 1U);
}

}  // namespace
}  // namespace hilgate::test
