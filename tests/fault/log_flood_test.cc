// SPDX-License-Identifier: Apache-2.0
// Peers and robots that make the gateway log.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "host/log/log.h"
#include "tests/fault/fault_record.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

TEST(Fault, RepeatedCauseIsRateLimitedInTheLog) {
  LogLimit limit;
  LogLimit::Time now{};
  int passed = 0;
  std::uint64_t told = 0;
  const auto take = [&](const std::string& text) {
    const auto verdict = limit.take(text, now);
    passed += verdict.passes ? 1 : 0;
    told += verdict.left_out;
  };
  for (int i = 0; i < 90'000; ++i) {  // the jumps of one second, ten times
    take(fmt::format("MAVLink: robot red jumped from ({}.5, 0.0, 1.0) m to ({}.0, 0.0, 0.0) m", i, i + 1));
    now += 111us;
  }
  EXPECT_GE(passed, 10);
  EXPECT_LE(passed, 12);
  take("netsim: connected at unix:/run/x");
  EXPECT_EQ(limit.take("netsim: gave up", now).passes, true) << "other causes pass";
  now += 1min;
  take("MAVLink: robot red jumped from (1.0, 0.0, 1.0) m to (2.0, 0.0, 0.0) m");
  EXPECT_EQ(told, limit.left_out()) << "what was left out is told with the next";
  record({"A robot or peer makes the gateway log 9000 lines a second",
          "10 lines of a cause, then one in 10 s, and how many were left out",
          fmt::format("{} of 90000 lines", passed)});
}

TEST(Fault, ForeignTextDoesNotMultiplyLogCauses) {
  LogLimit limit;
  int passed = 0;
  for (int i = 0; i < 100'000; ++i) {
    const std::string name{static_cast<char>('a' + i % 26), static_cast<char>('a' + i / 26 % 26),
                           static_cast<char>('a' + i / 676 % 26), static_cast<char>('a' + i / 17576)};
    passed += limit.take(name + " is a new cause", {}).passes ? 1 : 0;
    EXPECT_EQ(LogLimit::cause_of("'" + name + "' speaks version 2"), LogLimit::cause_of("'x' speaks version 9"));
  }
  EXPECT_LE(passed, 256 + 11);
  record({"A peer puts another text into every line that the gateway logs of it",
          "256 causes are distinguished; the rest is one", fmt::format("{} of 100000 lines", passed)});
}

}  // namespace
}  // namespace hilgate::test
