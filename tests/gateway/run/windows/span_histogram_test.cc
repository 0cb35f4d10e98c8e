// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/windows/span_histogram.h"

#include <gtest/gtest.h>

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

TEST(SpanHistogram, KnowsNothingAtFirst) {
  const SpanHistogram empty;
  EXPECT_EQ(empty.count(), 0U);
  EXPECT_EQ(empty.quantile(0.99), 0ns);
}

TEST(SpanHistogram, QuantilesAreAtMostASixteenthTooLarge) {
  SpanHistogram spans;
  for (int us = 1; us <= 1000; ++us) {
    spans.record(std::chrono::microseconds(us));
  }
  EXPECT_EQ(spans.max(), 1000us);
  EXPECT_EQ(spans.last(), 1000us);
  for (const double q : {0.01, 0.5, 0.9, 0.99}) {
    const double exact = q * 1e6;
    const auto got = static_cast<double>(spans.quantile(q).count());
    EXPECT_GE(got, exact * 0.999);
    EXPECT_LE(got, exact * (1 + 1.0 / 16) + 1);
  }
  EXPECT_EQ(spans.quantile(1), 1000us);
}

TEST(SpanHistogram, TakesTheWholeRange) {
  SpanHistogram spans;
  spans.record(-5ns);
  EXPECT_EQ(spans.quantile(1), 0ns);
  spans.record(15ns);
  EXPECT_EQ(spans.quantile(1), 15ns);
  spans.record(Nanoseconds::max());
  EXPECT_EQ(spans.max(), Nanoseconds::max());
  EXPECT_EQ(spans.quantile(1), Nanoseconds::max());
}

}  // namespace
}  // namespace hilgate::test
