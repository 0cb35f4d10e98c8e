// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/errors/link_spread.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace hilgate::test {
namespace {

constexpr double kFrameBits = 616;

double hazard_of_loss(double loss) {
  return -std::log1p(-loss) / kFrameBits;
}

// Over many links the mean loss stays, and that of a frame beside a lost one is the formula's.
TEST(LinkSpread, KeepsTheMeanAndCorrelatesTheLossesOfALink) {
  constexpr std::uint32_t kLinks = 40'000;
  for (const double share : {0.3, 0.9}) {
    const LinkSpread spread{.share = share, .frame_bits = kFrameBits, .seed = 5};
    for (const double loss : {0.02, 0.3, 0.9}) {
      double mean = 0;
      double square = 0;
      for (std::uint32_t link = 0; link < kLinks; ++link) {
        const double own = -std::expm1(-kFrameBits * spread.hazard(hazard_of_loss(loss), spread.own(link)));
        mean += own / kLinks;
        square += own * own / kLinks;
      }
      EXPECT_NEAR(mean, loss, 0.008) << share;
      EXPECT_NEAR(square / mean, loss_beside_loss(loss, share), 0.04) << share << ", " << loss;
    }
  }
}

TEST(LinkSpread, WithoutAShareLinksAreAlike) {
  const LinkSpread none{.share = 0, .frame_bits = kFrameBits};
  EXPECT_EQ(none.hazard(0.01, 2.3), 0.01);
  EXPECT_NEAR(loss_beside_loss(0.4, 0), 0.4, 1e-9);
  EXPECT_NEAR(loss_beside_loss(0.5, 0.5), 2.0 / 3, 1e-6) << "asin(1/2) / 2 pi + 1/4, over 1/2";
  EXPECT_GT(loss_beside_loss(0.01, LinkSpread::kMost), 0.9);
}

TEST(LinkSpread, WhatIsCertainStaysSo) {
  const LinkSpread spread{.share = 0.9, .frame_bits = kFrameBits};
  for (const double own : {-5.0, 0.0, 5.0}) {
    EXPECT_EQ(spread.hazard(0, own), 0);
    EXPECT_EQ(spread.hazard(std::numeric_limits<double>::infinity(), own), std::numeric_limits<double>::infinity());
    EXPECT_TRUE(std::isfinite(spread.hazard(hazard_of_loss(0.999999), own)));
  }
  EXPECT_LT(spread.hazard(hazard_of_loss(0.5), -3), spread.hazard(hazard_of_loss(0.5), 3));
}

}  // namespace
}  // namespace hilgate::test
