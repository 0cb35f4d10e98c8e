// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/netsim_link/trace/trace_texts.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

std::string netem_faults(std::string_view text) {
  return faults_of(text, TraceFormat::kNetemTrace);
}

// As netem-trace's own documentation has it.
constexpr std::string_view kRates =
    R"({"RepeatedBwPatternConfig":{"pattern":[{"StaticBwConfig":{"bw":{"gbps":0,"bps":12000000},"duration":{"secs":1,)"
    R"("nanos":0}}},{"StaticBwConfig":{"bw":{"gbps":0,"bps":24000000},"duration":{"secs":1,"nanos":0}}}],"count":2}})";

TEST(NetemTrace, ReadsRepeatedRates) {
  const Trace trace = read_text(kRates, TraceFormat::kNetemTrace);
  ASSERT_EQ(trace.entries.size(), 4U);
  EXPECT_EQ(trace.length, 4s);
  EXPECT_EQ(trace.entries[0].bits_per_second, 12e6);
  EXPECT_EQ(trace.entries[3].bits_per_second, 24e6);
  EXPECT_EQ(trace.entries[3].at, 3s);
  EXPECT_TRUE(trace.has_rate);
  EXPECT_FALSE(trace.has_delay || trace.has_loss);
}

TEST(NetemTrace, ReadsItsOtherKinds) {
  const Trace steps = read_text(R"({"TraceBwConfig":[[25.0,[0.5,2.0]],[0.5,[0]]]})", TraceFormat::kNetemTrace);
  ASSERT_EQ(steps.entries.size(), 3U);
  EXPECT_EQ(steps.length, 50500us);
  EXPECT_EQ(steps.entries[1].at, 25ms);
  EXPECT_EQ(steps.entries[1].bits_per_second, 2e6);
  EXPECT_EQ(steps.entries[2].bits_per_second, 0);

  const Trace delays = read_text(R"({"RepeatedDelayPatternConfig":{"pattern":[{"StaticDelayConfig":{"delay":"10ms",
      "duration":"1s 500ms"}},{"StaticDelayConfig":{"delay":{"secs":0,"nanos":5},"duration":"1m"}}],"count":0}})",
                                 TraceFormat::kNetemTrace);
  ASSERT_EQ(delays.entries.size(), 2U);
  EXPECT_TRUE(delays.has_delay);
  EXPECT_EQ(delays.entries[0].delay, 10ms);
  EXPECT_EQ(delays.entries[1].at, 1500ms);
  EXPECT_EQ(delays.entries[1].delay, 5ns);
  EXPECT_EQ(delays.length, 61500ms);

  const Trace losses =
      read_text(R"({"StaticLossConfig":{"loss":[0.25],"duration":{"secs":2,"nanos":1}}})", TraceFormat::kNetemTrace);
  ASSERT_EQ(losses.entries.size(), 1U);
  EXPECT_TRUE(losses.has_loss);
  EXPECT_EQ(losses.entries[0].loss, 0.25);

  const Trace human = read_text(R"({"StaticBwConfig":{"bw":"1.5Gbps","duration":"2h"}})", TraceFormat::kNetemTrace);
  EXPECT_EQ(human.entries[0].bits_per_second, 1.5e9);
  EXPECT_EQ(human.length, 2h);
}

TEST(NetemTrace, ErrorsNameLineAndAllowedValues) {
  EXPECT_NE(netem_faults("{\n\"NormalizedBwConfig\": {}}").find("link.trace:1: has the model 'NormalizedBwConfig'"),
            std::string::npos);
  EXPECT_NE(
      netem_faults("{\"StaticBwConfig\":\n{\"bw\":\"12\",\n\"duration\":\"1s\"}}").find("link.trace:2: is no rate"),
      std::string::npos);
  EXPECT_NE(netem_faults(R"({"StaticBwConfig":{"bw":{"bps":-1},"duration":"1s"}})").find("is no rate"),
            std::string::npos);
  EXPECT_NE(netem_faults(R"({"StaticBwConfig":{"bw":{"bps":NaN},"duration":"1s"}})").find("which is not JSON"),
            std::string::npos);
  EXPECT_NE(netem_faults(R"({"StaticBwConfig":{"bw":"1Mbps"}})").find("'duration'"), std::string::npos);
  EXPECT_NE(netem_faults(R"({"StaticLossConfig":{"loss":[0.1,0.2],"duration":"1s"}})").find("is no loss"),
            std::string::npos);
  EXPECT_NE(netem_faults(R"({"StaticDelayConfig":{"delay":"2h","duration":"1s"}})").find("up to 1 h"),
            std::string::npos);
  EXPECT_NE(netem_faults(R"({"TraceBwConfig":[[0,[1]]]})").find("is no step"), std::string::npos);
  EXPECT_NE(netem_faults(R"([1, 2])").find("is no netem-trace model"), std::string::npos);
  EXPECT_NE(netem_faults("").find("has no whole entry"), std::string::npos);
  EXPECT_NE(netem_faults(std::string(100'000, '[')).find("nested too deep"), std::string::npos);
  EXPECT_NE(netem_faults(R"({"RepeatedBwPatternConfig":{"pattern":[{"StaticBwConfig":{"bw":"1bps","duration":"1ns"}}],
      "count":1e300}})")
                .find("too many entries"),
            std::string::npos);
}

TEST(NetemTrace, WhatWouldNotBeReadIsRefused) {
  const std::string whole = R"({"StaticBwConfig":{"bw":"12Mbps","duration":"1s"}})";
  EXPECT_NE(netem_faults(whole + " x").find("which is not JSON there"), std::string::npos);
  EXPECT_NE(netem_faults(whole + "\n" + whole).find("which is not JSON there"), std::string::npos);
  EXPECT_NE(netem_faults(R"({"StaticBwConfig":{"bw":"12Mbps","duration":"1s","bw":"1Mbps"}})")
                .find("has 'bw' twice in one object"),
            std::string::npos);
}

TEST(NetemTrace, ACutOffFileIsReadToItsLastWholeEntry) {
  const Trace trace = read_text(kRates.substr(0, kRates.find("24000000")), TraceFormat::kNetemTrace);
  EXPECT_EQ(trace.entries.size(), 1U);
  EXPECT_EQ(trace.length, 1s);
  ASSERT_EQ(trace.notes.size(), 1U);
  EXPECT_NE(trace.notes[0].find("line 1"), std::string::npos);
  EXPECT_EQ(read_text(R"({"TraceBwConfig":[[25.0,[0.5,2.0]],[25.0,[0.)", TraceFormat::kNetemTrace).entries.size(), 2U);
}

}  // namespace
}  // namespace hilgate::test
