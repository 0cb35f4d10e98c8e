// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/fit/path_loss_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "rf_profiles/fit/link_fit.h"
#include "tests/rf_profiles/fit/synthetic_log.h"

namespace hilgate::test {
namespace {

using testing::HasSubstr;

const FitBase kFitBase{.model = Friis{}, .carrier = Carrier(Hertz{2.4e9}), .has_heights = true};

double log_loss(double reference_db, double exponent, double distance_m) {
  return reference_db + 10 * exponent * std::log10(distance_m);
}

PathLossFit fit_of(const MeasuredLog& log) {
  return fit_path_loss(log.rows, kFitBase);
}

TEST(PathLossFit, FindsAnExponentWithinItsInterval) {
  int inside = 0;
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    const MeasuredLog log = fly({.loss_db = [](const PairGeometry& pair) { return log_loss(40, 3.1, pair.d3d_m); },
                                 .sigma_db = 3,
                                 .row_sigma_db = 2,
                                 .seed = seed});
    const PathLossFit fit = fit_of(log);
    ASSERT_TRUE(fit.exponent);
    EXPECT_NEAR(fit.exponent->value, 3.1, 0.25) << seed;
    inside += fit.exponent->low <= 3.1 && 3.1 <= fit.exponent->high ? 1 : 0;
  }
  EXPECT_GE(inside, 16);
}

TEST(PathLossFit, ChoosesTheShapeThatTheRowsHave) {
  const auto shape = [](auto loss_db) {
    return fit_of(fly({.loss_db = loss_db, .sigma_db = 1, .row_sigma_db = 1})).chosen;
  };
  EXPECT_EQ(shape([](const PairGeometry& pair) { return log_loss(40, 2, pair.d3d_m); }).size, 1u);
  EXPECT_EQ(shape([](const PairGeometry& pair) { return log_loss(40, 3.5, pair.d3d_m); }).shape,
            LossShape::kLogDistance);
  const LossCandidate broken = shape([](const PairGeometry& pair) {
    return log_loss(40, 2, std::min(pair.d3d_m, 100.0)) + log_loss(0, 4.5, std::max(pair.d3d_m / 100, 1.0));
  });
  EXPECT_EQ(broken.shape, LossShape::kDualSlope);
  EXPECT_NEAR(broken.exponent(), 2, 0.3);
  EXPECT_NEAR(broken.far_exponent(), 4.5, 0.4);
  EXPECT_NEAR(broken.breakpoint_m, 100, 25);
}

TEST(PathLossFit, FindsTheGroundOfTwoRays) {
  const TwoRayExact two_ray;
  const Carrier carrier(Hertz{2.4e9});
  const MeasuredLog log =
      fly({.loss_db = [&](const PairGeometry& pair) { return path_loss(two_ray, pair, carrier).value; },
           .row_sigma_db = 1});
  const PathLossFit fit = fit_of(log);
  EXPECT_EQ(fit.chosen.shape, LossShape::kTwoRay);
  EXPECT_EQ(fit.chosen.ground, "ideal");
  EXPECT_NEAR(fit.chosen.coefficients[0], 0, 0.2);
}

TEST(PathLossFit, FindsAnElevationPattern) {
  const auto sine_squared = [](const PairGeometry& pair) {
    return std::pow((pair.high_m - pair.low_m) / pair.d3d_m, 2);
  };
  const PathLossFit fit = fit_of(
      fly({.loss_db = [&](const PairGeometry& pair) { return log_loss(40, 2, pair.d3d_m) + 12 * sine_squared(pair); },
           .height_m = [](double way) { return 60 + 40 * std::sin(way / 90); },
           .row_sigma_db = 1}));
  EXPECT_TRUE(fit.chosen.has_pattern);
  EXPECT_NEAR(fit.chosen.pattern_db(), -12, 1);
}

TEST(PathLossFit, KeepsTheBaseLossAtEqualDistances) {
  const PathLossFit fit = fit_of(
      fly({.least_m = 100, .most_m = 130, .loss_db = [](const PairGeometry&) { return 70.0; }, .row_sigma_db = 2}));
  EXPECT_EQ(fit.chosen.shape, LossShape::kBase);
  EXPECT_FALSE(fit.exponent);
  ASSERT_FALSE(fit.undetermined.empty());
  EXPECT_THAT(fit.undetermined.front(), HasSubstr("a ratio below 2"));
}

TEST(PathLossFit, ReportsDisagreeingBlocks) {
  MeasuredLog log =
      fly({.loss_db = [](const PairGeometry& pair) { return log_loss(40, 3, pair.d3d_m); }, .row_sigma_db = 1});
  for (std::size_t i = 0; i < log.rows.size(); ++i) {  // the exponent of another wall in each tenth
    MeasuredRow& row = log.rows[i];
    *row.level_db -= static_cast<double>(i * 10 / log.rows.size() % 3) * 10 * std::log10(row.pair.d3d_m) - 20;
  }
  const PathLossFit fit = fit_of(log);
  EXPECT_THAT(fit.undetermined, testing::Contains(HasSubstr("blocks of the log disagree")));
}

TEST(PathLossFit, RefusesTooFewRows) {
  const MeasuredLog log = fly({.rows = 29});
  try {
    fit_of(log);
    FAIL() << "29 rows are not enough";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "has 29 rows with a level; a fit needs at least 30");
  }
}

TEST(LinkFit, NamesNoExponentWhereLostFramesHaveNoLevel) {
  MeasuredLog log =
      fly({.loss_db = [](const PairGeometry& pair) { return log_loss(40, 3, pair.d3d_m); }, .sigma_db = 4});
  for (MeasuredRow& row : log.rows) {
    row.received = *row.level_db >= -115;
    if (!*row.received) {
      row.level_db.reset();
    }
  }
  const PathLossFit fit = fit_link(log, kFitBase, 0).path_loss;
  EXPECT_EQ(fit.chosen.shape, LossShape::kBase);
  EXPECT_FALSE(fit.exponent);
  EXPECT_THAT(fit.undetermined, testing::Contains(HasSubstr("of the frames were lost and have no level")));
}

TEST(LinkFit, PredictsHeldOutRowsWithinItsInterval) {
  const MeasuredLog log = fly({.loss_db = [](const PairGeometry& pair) { return log_loss(40, 2.7, pair.d3d_m); },
                               .sigma_db = 2,
                               .correlation_m = 10,
                               .row_sigma_db = 2});
  const LinkFit fit = fit_link(log, kFitBase, 0.5);
  ASSERT_TRUE(fit.held_out);
  EXPECT_EQ(fit.held_out->rows, 1500u);
  EXPECT_NEAR(fit.held_out->rms_db, std::sqrt(8.0), 0.4);
  EXPECT_NEAR(fit.held_out->inside_share, 0.95, 0.03);
}

}  // namespace
}  // namespace hilgate::test
