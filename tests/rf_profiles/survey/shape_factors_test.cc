// SPDX-License-Identifier: Apache-2.0
// Degenerate cases of the shape factors; the others are rows of tests/oracles/analytic.csv.
#include "rf_profiles/survey/grid_rays.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace hilgate::test {
namespace {

TEST(ShapeFactors, SingleWaveDoesNotFade) {
  const Ray wave[] = {{2.5, 0.7}};
  const ShapeFactors shape = shape_factors(moments_of_rays(wave));
  EXPECT_EQ(shape.spread, 0);
  EXPECT_EQ(shape.constriction, 0);
  EXPECT_EQ(shape.azimuth_rad, 0);
  EXPECT_EQ(rate_variance(shape, 1), 0);
  EXPECT_EQ(coherence_distance(shape, 1), std::numeric_limits<double>::infinity());
}

TEST(ShapeFactors, FromAllAroundHasNoDirection) {
  const ShapeFactors shape = shape_factors(moments_of_omni());
  EXPECT_EQ(shape.spread, 1);
  EXPECT_EQ(shape.azimuth_rad, 0);
  EXPECT_EQ(fading_rate_factor(shape, 0), fading_rate_factor(shape, 1.3));
}

TEST(ShapeFactors, NoPowerAtAllIsNoNumberNowhere) {
  const ShapeFactors shape = shape_factors(moments_of_rays({}));
  EXPECT_EQ(shape.spread, 0);
  EXPECT_EQ(shape.constriction, 0);
}

TEST(ShapeFactors, RaysMakeTheSectorInTheLimit) {
  std::vector<Ray> rays;
  for (int i = 0; i < 1000; ++i) {
    rays.push_back({1, 0.4 + (i - 499.5) / 1000 * 1.2});
  }
  const ShapeFactors sum = shape_factors(moments_of_rays(rays));
  const ShapeFactors sector = shape_factors(moments_of_sector(1.2, 0.4));
  EXPECT_NEAR(sum.spread, sector.spread, 1e-5);
  EXPECT_NEAR(sum.constriction, sector.constriction, 1e-5);
  EXPECT_NEAR(std::remainder(sum.azimuth_rad - sector.azimuth_rad, M_PI), 0, 1e-6);
}

}  // namespace
}  // namespace hilgate::test
