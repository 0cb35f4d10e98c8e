// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/numeric/random.h"

#include <gtest/gtest.h>

#include "rf_profiles/numeric/normal.h"
#include "tests/rf_profiles/statistics.h"

namespace hilgate::test {
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

TEST(Normal, ComplexDrawsHaveNormalPartsAndMeanPowerOne) {
  constexpr std::size_t kDrawsPerSeed = 20'000;
  std::vector<DrawPlace> places;
  for (std::uint64_t i = 0; i < kDrawsPerSeed; ++i) {
    places.push_back({3, static_cast<std::uint32_t>(i % 100), i / 100});
  }
  std::vector<std::complex<double>> draws(kDrawsPerSeed);
  draw_complex_normals(places, draws);
  std::vector<double> in_phase, quadrature, powers;
  for (const std::complex<double>& draw : draws) {
    in_phase.push_back(draw.real());
    quadrature.push_back(draw.imag());
    powers.push_back(std::norm(draw));
  }
  const auto part = [](double x) { return normal_cdf(x * std::sqrt(2.0)); };
  EXPECT_LT(kolmogorov_distance(in_phase, part), kolmogorov_limit(kDrawsPerSeed));
  EXPECT_LT(kolmogorov_distance(quadrature, part), kolmogorov_limit(kDrawsPerSeed));
  EXPECT_LT(kolmogorov_distance(powers, [](double x) { return 1 - std::exp(-x); }), kolmogorov_limit(kDrawsPerSeed));
}

}  // namespace
}  // namespace hilgate::test
