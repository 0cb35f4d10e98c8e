// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/fit/variation_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <complex>

#include "tests/rf_profiles/fit/synthetic_log.h"

namespace hilgate::test {
namespace {

using testing::HasSubstr;

ShadowingFit shadowing_of(const MeasuredLog& log) {
  std::vector<double> residuals_db;
  for (const MeasuredRow& row : log.rows) {
    residuals_db.push_back(*row.level_db);
  }
  return fit_shadowing(log.rows, residuals_db);
}

TEST(ShadowingFit, SeparatesShadowingFromNoiseByRow) {
  int inside = 0;
  for (std::uint32_t seed = 1; seed <= 10; ++seed) {
    const ShadowingFit fit =
        shadowing_of(fly({.rows = 3000, .sigma_db = 4, .correlation_m = 20, .row_sigma_db = 3, .seed = seed}));
    ASSERT_TRUE(fit.has_correlation) << fit.why;
    EXPECT_NEAR(fit.sigma_db, 4, 0.8);
    EXPECT_NEAR(fit.row_sigma_db, 3, 0.3);
    EXPECT_NEAR(fit.correlation_m, 20, 10);
    inside += fit.least_correlation_m <= 20 && 20 <= fit.most_correlation_m ? 1 : 0;
  }
  EXPECT_GE(inside, 7);
}

TEST(ShadowingFit, NamesNoCorrelationThatThePathDoesNotDetermine) {
  const ShadowingFit none = shadowing_of(fly({.rows = 2000, .row_sigma_db = 3}));
  EXPECT_FALSE(none.has_correlation);
  EXPECT_NEAR(none.sigma_db, 3, 0.2);
  EXPECT_FALSE(shadowing_of(fly({.rows = 100, .sigma_db = 4, .correlation_m = 200})).has_correlation);
  MeasuredLog still = fly({.rows = 100, .row_sigma_db = 1});
  for (MeasuredRow& row : still.rows) {
    row.moved_m = 0;
  }
  EXPECT_THAT(shadowing_of(still).why, HasSubstr("nothing moves"));
}

// A steady wave and a diffuse one, a sample at each step of a twentieth of a wavelength.
MeasuredLog faded(double k, double step_m) {
  MeasuredLog log;
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 20'000; ++i) {
    const std::complex<double> diffuse(normal(random), normal(random));
    const double power = std::norm(std::sqrt(k / (1 + k)) + diffuse * std::sqrt(0.5 / (1 + k)));
    MeasuredRow row{.pair = {}};
    row.moved_m = i * step_m;
    row.level_db = 10 * std::log10(power);
    log.rows.push_back(row);
  }
  return log;
}

TEST(FadingFit, FindsTheKOfRice) {
  EXPECT_NEAR(fit_fading(faded(4, 0.0125).rows, 0.125).k_db.value_or(99), 10 * std::log10(4), 0.5);
  EXPECT_LT(fit_fading(faded(0, 0.0125).rows, 0.125).k_db.value_or(99), -5);
}

TEST(FadingFit, NeedsDenseRows) {
  const FadingFit fit = fit_fading(faded(4, 1).rows, 0.125);
  EXPECT_FALSE(fit.k_db);
  EXPECT_THAT(fit.why, HasSubstr("0 stretches of 1.25 m"));
}

}  // namespace
}  // namespace hilgate::test
