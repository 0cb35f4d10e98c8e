// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/random.h"

#include <gtest/gtest.h>

#include "rf_profiles/normal.h"
#include "tests/rf_profiles/statistics.h"

namespace hilgate {
namespace {

TEST(Philox, KnownAnswers) {  // kat_vectors of the Random123 distribution, philox4x32 10
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}), (PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Normal, DrawsFromTheStandardNormalDistribution) {
  std::vector<double> draws;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    FrameRandom random(1, 2, i);
    draws.push_back(draw_normal(random));
  }
  EXPECT_LT(kolmogorov_distance(draws, normal_cdf), kolmogorov_limit(draws.size()));
}

}  // namespace
}  // namespace hilgate
