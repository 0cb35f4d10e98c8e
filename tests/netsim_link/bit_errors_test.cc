// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/bit_errors.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hilgate::test {
namespace {

TEST(BitErrors, IndependentOnesHaveTheHazardOfTheirRate) {
  EXPECT_DOUBLE_EQ(error_hazard({.rate = 1e-5}).per_bit, -std::log1p(-1e-5));
  EXPECT_EQ(error_hazard({.rate = 0}).per_bit, 0);
  EXPECT_TRUE(std::isinf(error_hazard({.rate = 1}).per_bit));
}

TEST(BitErrors, BurstsBeginSoMuchRarerThatTheRateStays) {
  const BitErrors errors{.rate = 1e-3, .burst = 8};
  const double begins = -std::expm1(-error_hazard(errors).per_bit);
  // A run of 8 after (1 - q) / q good bits on average.
  EXPECT_NEAR(8 / (8 + (1 - begins) / begins), 1e-3, 1e-15);
}

// The union bound with D = sqrt(4 p (1 - p)) = 0.2 at p = 0.01010205...: 36 D^10 + 211 D^12 + 1404 D^14 + ..., halved.
TEST(BitErrors, PreFecRatesAreDecoded) {
  const double p = (1 - std::sqrt(1 - 0.04)) / 2;
  double bound = 0;
  double power = std::pow(0.2, 10);
  for (const double weight : {36.0, 211.0, 1404.0, 11633.0, 77433.0, 502690.0, 3322763.0, 21292910.0, 134365911.0}) {
    bound += weight * power;
    power *= 0.04;
  }
  const BitErrors errors{.rate = p, .meaning = BerMeaning::kPreFec};
  EXPECT_NEAR(-std::expm1(-error_hazard(errors).per_bit), bound / 2, 1e-12 * bound);
}

TEST(BitErrors, NoDecoderMakesMoreErrorsThanGuessing) {
  const BitErrors errors{.rate = 0.4, .meaning = BerMeaning::kPreFec, .code = {.numerator = 5, .denominator = 6}};
  EXPECT_DOUBLE_EQ(error_hazard(errors).per_bit, -std::log1p(-0.5));
}

}  // namespace
}  // namespace hilgate::test
