// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/errors/effective_sinr.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "rf_profiles/numeric/decibel.h"

namespace hilgate::test {
namespace {

TEST(EffectiveSinr, OfAFlatBandIsTheSinr) {
  const std::vector<float> flat(37, 1.0F);
  for (double sinr = -30; sinr < 60; sinr += 7.3) {
    for (const double beta : {0.8, 1.79, 24.51, 410.0}) {
      EXPECT_NEAR(effective_sinr(flat, {sinr}, beta).value, sinr, 1e-9) << beta;
    }
  }
}

// Two equal echoes give gains 1 + cos(x), x evenly over a turn: the mean of exp(-s (1 + cos x)) is exp(-s) I0(s).
TEST(EffectiveSinr, OfTwoEqualEchoesIsTheBesselFunctions) {
  std::vector<float> gains;
  constexpr int kGains = 4096;
  for (int k = 0; k < kGains; ++k) {
    gains.push_back(static_cast<float>(1 + std::cos(2 * std::numbers::pi * (k + 0.5) / kGains)));
  }
  for (double sinr = -20; sinr < 25; sinr += 2.7) {
    for (const double beta : {1.6, 5.16, 24.51}) {
      const double s = ratio_of_db(sinr) / beta;
      const double expected = db_of(beta * (s - std::log(std::cyl_bessel_i(0.0, s))));
      EXPECT_NEAR(effective_sinr(gains, {sinr}, beta).value, expected, 1e-4) << sinr << " dB, beta " << beta;
    }
  }
}

// By its definition, summed as it stands.
TEST(EffectiveSinr, IsItsFormula) {
  const std::vector<float> gains{0.1F, 2.3F, 0.6F, 1.0F};
  const double s = ratio_of_db(8.0);
  double sum = 0;
  for (const float gain : gains) {
    sum += std::exp(-static_cast<double>(gain) * s / 3.0);
  }
  EXPECT_NEAR(effective_sinr(gains, {8}, 3).value, db_of(-3 * std::log(sum / 4)), 1e-9);
}

// The exponential is convex, and the weakest part counts for at least its share.
TEST(EffectiveSinr, IsBetweenTheWeakestPartAndTheMean) {
  const std::vector<float> gains{1e-9F, 3.5F, 0.5F, 0.0F};
  for (double sinr = -40; sinr < 120; sinr += 5) {
    const double value = effective_sinr(gains, {sinr}, 10).value;
    EXPECT_TRUE(std::isfinite(value)) << sinr;
    EXPECT_LE(value, sinr) << sinr;
    EXPECT_LE(value, db_of(10 * std::log(4.0)) + 0.01 + (sinr > 60 ? db_of(2) : 0)) << "half of the band is lost";
  }
}

TEST(EffectiveSinr, BetaIsAsPublishedAndNearThatOfOtherCodes) {
  EXPECT_DOUBLE_EQ(eesm_beta(4, 602 / 1024.0), 1.79);
  EXPECT_DOUBLE_EQ(eesm_beta(16, 340 / 1024.0), 3.97);
  EXPECT_DOUBLE_EQ(eesm_beta(64, 948 / 1024.0), 34.28);
  EXPECT_NEAR(eesm_beta(64, 0.5 * (772 + 822) / 1024), 0.5 * (24.51 + 27.14), 1e-9);
  EXPECT_DOUBLE_EQ(eesm_beta(256, 754 / 1024.0), 78.58);
  EXPECT_DOUBLE_EQ(eesm_beta(2, 0.5), eesm_beta(4, 0.5) / 2);
  // 3GPP R1-031303, turbo codes.
  EXPECT_NEAR(eesm_beta(4, 0.75), 1.69, 0.2);
  EXPECT_NEAR(eesm_beta(16, 0.5), 4.56, 0.8);
  EXPECT_NEAR(eesm_beta(16, 0.75), 7.33, 0.1);
  EXPECT_GT(eesm_beta(1024, 0.75), eesm_beta(256, 0.75));
  EXPECT_GT(eesm_beta(4, 0.001), 0);
}

}  // namespace
}  // namespace hilgate::test
