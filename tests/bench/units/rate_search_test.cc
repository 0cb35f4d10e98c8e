// SPDX-License-Identifier: Apache-2.0
// The search for rates, against devices whose limits are known.
#include "bench/rate_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace hilgate::test {
namespace {

constexpr double kUnpaced = std::numeric_limits<double>::infinity();
constexpr RateSearchSettings kSettings{.most = kUnpaced, .least = 100, .precision = 0.01, .trials = 3};

/// Forwards `capacity` frames per second and loses the rest; the generator sends up to `generator`. Of `shaky` trials
/// in a thousand one loses a frame in a hundred whatever the rate.
struct SyntheticDevice {
  double capacity = 100'000;
  double generator = 1'000'000;
  int shaky = 0;
  std::mt19937 random{7};

  RateTrial operator()(double rate) {
    const double offered = std::min(rate, generator);
    const double over = offered > capacity ? 1 - capacity / offered : 0;
    const bool shakes = std::uniform_int_distribution(1, 1000)(random) <= shaky;
    return {offered, std::max(over, shakes ? 0.01 : 0)};
  }
};

void expect_within(double found, double truth) {
  EXPECT_LE(found, truth * (1 + 1e-9));
  EXPECT_GE(found, truth * (1 - kSettings.precision));
}

TEST(RateSearch, FindsBothRatesOfADevice) {
  RateSearch search(SyntheticDevice{}, kSettings);
  expect_within(search.highest(0).rate, 100'000);
  const unsigned trials = search.trials();
  expect_within(search.highest(0.005).rate, 100'000 / 0.995);
  EXPECT_LT(search.trials(), 2 * trials) << "trials of one goal serve the next";
  EXPECT_FALSE(search.highest(0).generator_limits);
}

TEST(RateSearch, OneBadTrialDecidesNothing) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SyntheticDevice device{.shaky = 30};
    device.random.seed(seed);
    RateSearch search(device, kSettings);
    EXPECT_GE(search.highest(0).rate, 60'000) << "seed " << seed;
  }
}

TEST(RateSearch, EndsWithADeviceThatAlwaysLoses) {
  RateSearch search([](double rate) { return RateTrial{std::min(rate, 1e6), 0.5}; }, kSettings);
  EXPECT_EQ(search.highest(0).rate, 0);
  EXPECT_EQ(search.highest(0.005).rate, 0);
  EXPECT_LT(search.trials(), 60U);
  EXPECT_GT(search.highest(0.5).rate, 0);
}

TEST(RateSearch, EndsWithADeviceThatForwardsNothing) {
  RateSearch search([](double) { return RateTrial{0, 0}; }, kSettings);
  EXPECT_EQ(search.highest(0).rate, 0);
}

TEST(RateSearch, ReportsThatTheGeneratorIsTheLimit) {
  RateSearch search(SyntheticDevice{.generator = 50'000}, kSettings);
  const FoundRate found = search.highest(0);
  EXPECT_EQ(found.rate, 50'000);
  EXPECT_TRUE(found.generator_limits);
}

// Unpaced bursts overrun a queue that takes any even rate the generator can send.
TEST(RateSearch, ReportsTheGeneratorsLimitOfEvenRatesAlone) {
  RateSearch search(
      [](double rate) {
        return std::isfinite(rate) ? RateTrial{std::min(rate, 40'000.0), 0} : RateTrial{100'000, 0.2};
      },
      kSettings);
  const FoundRate found = search.highest(0);
  EXPECT_EQ(found.rate, 40'000);
  EXPECT_TRUE(found.generator_limits);
}

TEST(RateSearch, StopsAtTheConfiguredMaximum) {
  RateSearchSettings settings = kSettings;
  settings.most = 20'000;
  RateSearch search(SyntheticDevice{}, settings);
  EXPECT_EQ(search.highest(0).rate, 20'000);
}

}  // namespace
}  // namespace hilgate::test
