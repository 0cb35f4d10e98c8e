// SPDX-License-Identifier: Apache-2.0
#include "frame/counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <thread>

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

TEST(DurationHistogram, BucketsArePowersOfTwo) {
  DurationHistogram histogram;
  histogram.add(-5ns);
  histogram.add(0ns);
  histogram.add(1ns);
  histogram.add(2ns);
  histogram.add(3ns);
  histogram.add(4ns);
  histogram.add(1024ns);
  histogram.add(std::chrono::hours{10});
  EXPECT_EQ(histogram.count[0], 2U);
  EXPECT_EQ(histogram.count[1], 1U);
  EXPECT_EQ(histogram.count[2], 2U);
  EXPECT_EQ(histogram.count[3], 1U);
  EXPECT_EQ(histogram.count[11], 1U);
  EXPECT_EQ(histogram.count[DurationHistogram::kBuckets - 1], 1U);
  EXPECT_EQ(histogram.total(), 8U);
}

TEST(DurationHistogram, QuantilesAreUpperBounds) {
  DurationHistogram histogram;
  EXPECT_EQ(histogram.quantile(0.5), 0ns);
  for (int i = 0; i < 99; ++i) {
    histogram.add(700ns);
  }
  histogram.add(5us);
  EXPECT_EQ(histogram.quantile(0), 1024ns);
  EXPECT_EQ(histogram.quantile(0.5), 1024ns);
  EXPECT_EQ(histogram.quantile(0.99), 1024ns);
  EXPECT_EQ(histogram.quantile(1), 8192ns);
}

TEST(PathTotals, BalancedMeansEveryDeliveryIsSomewhere) {
  PathTotals totals;
  EXPECT_TRUE(totals.balanced());
  totals.deliveries = 6;
  totals.released = 3;
  totals.dropped[2] = 1;
  totals.held = 2;
  EXPECT_TRUE(totals.balanced());
  totals.held = 1;
  EXPECT_FALSE(totals.balanced());
}

template <class Counts>
using Words = std::array<std::uint64_t, sizeof(Counts) / sizeof(std::uint64_t)>;
template <class Counts>
Counts all_of(std::uint64_t value) {
  Words<Counts> words;
  words.fill(value);
  return std::bit_cast<Counts>(words);
}

TEST(PathTotals, ThoseOfAnotherCoreAreAddedWithEveryMember) {
  PathTotals totals;
  totals.add(all_of<PathTotals>(7));
  EXPECT_THAT(std::bit_cast<Words<PathTotals>>(totals), testing::Each(7));
}

TEST(LinkCounts, ThoseOfBeforeAreSubtractedWithEveryMember) {
  auto counts = all_of<LinkCounts>(7);
  counts.subtract(all_of<LinkCounts>(5));
  EXPECT_THAT(std::bit_cast<Words<LinkCounts>>(counts), testing::Each(2));
}

TEST(DropReason, EachHasANameOfItsOwn) {
  for (std::size_t i = 0; i < kDropReasons; ++i) {
    EXPECT_FALSE(kDropReasonTable[i].name.empty());
    EXPECT_FALSE(kDropReasonTable[i].text.empty());
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_NE(kDropReasonTable[i].name, kDropReasonTable[j].name);
    }
  }
  EXPECT_EQ(name(DropReason::kShutdown), "shutdown");
}

// One thread adds, another reads: values only grow.
TEST(Counter, ReadersSeeItGrow) {
  Counter counter;
  std::jthread writer([&counter] {
    for (int i = 0; i < 100'000; ++i) {
      counter.add(3);
    }
  });
  for (std::uint64_t last = 0; last < 300'000;) {
    const std::uint64_t now = counter.get();
    ASSERT_GE(now, last);
    ASSERT_EQ(now % 3, 0U);
    last = now;
  }
}

}  // namespace
}  // namespace hilgate::test
