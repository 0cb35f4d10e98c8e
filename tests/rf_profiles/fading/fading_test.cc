// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/fading/fading.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <limits>

#include <cmath>
#include <complex>

#include "rf_profiles/fading/fading_laws.h"
#include "rf_profiles/numeric/decibel.h"
#include "rf_profiles/numeric/normal.h"
#include "tests/rf_profiles/statistics.h"

namespace hilgate::test {
namespace {

constexpr Hertz kBand{2.4e9};
constexpr double kWavelength = kLightSpeed / kBand.value;
constexpr std::size_t kPairs = 1500;

Fading same_everywhere(const FadingLaw& law) {
  return {law, law, {}};
}

std::vector<double> powers(FadingField& field, double moved_m, double passed_s = 0) {
  std::vector<double> values;
  for (std::size_t pair = 0; pair < kPairs; ++pair) {
    values.push_back(ratio_of_db(field.update(pair, moved_m, passed_s, true)));
  }
  return values;
}

double distance_to(const FadingLaw& law, const std::function<double(double)>& cdf) {
  FadingField field(same_everywhere(law), kBand, kPairs, 4);
  powers(field, 0);
  return kolmogorov_distance(powers(field, 3.3), cdf);
}

TEST(Fading, PowerFollowsTheLaw) {
  const double limit = kolmogorov_limit(kPairs);
  EXPECT_LT(distance_to(RayleighFading{}, rayleigh_cdf), limit);
  const double k = ratio_of_db(6);
  EXPECT_LT(distance_to(RiceFading{.k = k}, [&](double g) { return rice_cdf(k, g); }), limit);
  for (const double m : {0.75, 1.5, 4.0}) {
    EXPECT_LT(distance_to(NakagamiFading{.m = m}, [&](double g) { return nakagami_cdf(m, g); }), limit) << m;
  }
}

TEST(Fading, TappedLineHasMeanOneAndLessSpreadThanOneTap) {
  FadingField field(same_everywhere(TdlFading{.line = "TDL-A"}), kBand, kPairs, 4);
  double sum = 0;
  double square = 0;
  for (const double power : powers(field, 0)) {
    sum += power / kPairs;
    square += power * power / kPairs;
  }
  double expected = 0;  // variance of a sum of independent exponentials
  for (const double tap : tdl_profile("TDL-A").powers()) {
    expected += tap * tap;
  }
  EXPECT_NEAR(sum, 1, 0.04);
  EXPECT_NEAR(square - sum * sum, expected, 0.3 * expected);
}

TEST(Fading, TappedLinesFollowTheSumOfTheirTaps) {
  constexpr std::size_t kSums = 20'000;
  for (const TdlProfile& line : tdl_profiles()) {
    std::vector<double> taps = line.powers();
    const double steady = line.line_of_sight ? taps.front() : 0;
    taps.erase(taps.begin(), taps.begin() + (line.line_of_sight ? 1 : 0));
    std::vector<DrawPlace> places;
    for (std::size_t i = 0; i < kSums * taps.size(); ++i) {
      places.push_back({11, 0, i});
    }
    std::vector<std::complex<double>> draws(places.size());
    draw_complex_normals(places, draws);
    std::vector<double> sums(kSums);
    for (std::size_t i = 0; i < draws.size(); ++i) {
      const std::complex<double> tap = std::sqrt(taps[i % taps.size()]) * draws[i];
      sums[i / taps.size()] += std::norm(tap + (i % taps.size() == 0 ? std::sqrt(steady) : 0));
    }
    std::sort(sums.begin(), sums.end());
    const auto share_below = [&](double power) {
      return static_cast<double>(std::lower_bound(sums.begin(), sums.end(), power) - sums.begin()) / kSums;
    };
    const FadingLaw law = TdlFading{.line = std::string(line.name)};
    EXPECT_LT(distance_to(law, share_below), kolmogorov_limit(kPairs * kSums / (kPairs + kSums))) << line.name;
  }
}

TEST(Fading, DopplerFadesAPairInTimeAsItFadesManyInSpace) {
  Fading fading = same_everywhere(RayleighFading{});
  fading.doppler = {10};
  FadingField field(fading, kBand, 1, 6);
  std::vector<double> powers;
  for (int i = 0; i < 1200; ++i) {
    powers.push_back(ratio_of_db(field.update(0, 0, 0.3137, true)));  // three waves on: hardly correlated
  }
  EXPECT_LT(kolmogorov_distance(powers, rayleigh_cdf), kolmogorov_limit(powers.size()));
}

/// Correlation of power after moving, over all pairs.
double power_correlation(double moved_m) {
  FadingField field(same_everywhere(RayleighFading{}), kBand, kPairs, 8);
  const auto before = powers(field, 0);
  const auto after = powers(field, moved_m);
  double sum = 0;
  for (std::size_t i = 0; i < kPairs; ++i) {
    sum += (before[i] - 1) * (after[i] - 1) / kPairs;
  }
  return sum;
}

TEST(Fading, CorrelationOverDistanceIsThatOfDoppler) {
  for (const double wavelengths : {0.05, 0.1, 0.2, 0.3827, 1.0}) {
    const double j0 = std::cyl_bessel_j(0.0, 2 * 3.14159265358979 * wavelengths);
    EXPECT_NEAR(power_correlation(wavelengths * kWavelength), j0 * j0, 0.12) << wavelengths;
  }
}

TEST(Fading, IsIndependentOfTheNumberOfQueries) {
  const Fading fading = same_everywhere(RiceFading{.k = 2});
  FadingField coarse(fading, kBand, 20, 3), fine(fading, kBand, 20, 3);
  for (std::size_t pair = 0; pair < 20; ++pair) {
    double last = 0;
    for (int part = 0; part < 50; ++part) {
      last = fine.update(pair, 0.01, 0.001, true);
    }
    EXPECT_NEAR(coarse.update(pair, 0.5, 0.05, true), last, 1e-3);
  }
}

TEST(Fading, SurroundingsInMotionFadeRobotsThatStandStill) {
  Fading still = same_everywhere(RayleighFading{});
  Fading moving = still;
  moving.doppler = {5};
  FadingField without(still, kBand, 1, 3), with(moving, kBand, 1, 3);
  const double first = with.update(0, 0, 0, true);
  EXPECT_EQ(without.update(0, 0, 1, true), without.update(0, 0, 1, true));
  EXPECT_NE(with.update(0, 0, 0.1, true), first);
}

TEST(Fading, ZeroIsZeroAndSightChoosesTheLaw) {
  FadingField none({}, kBand, 4, 1);
  EXPECT_EQ(none.update(2, 1, 1, true), 0);
  FadingField half({{}, RayleighFading{}, {}}, kBand, 4, 1);
  EXPECT_EQ(half.update(2, 1, 1, true), 0);
  EXPECT_NE(half.update(2, 1, 1, false), 0);
}

// Up to where the level is known to stay below a limit it does, and that is most of the way to where it does not.
TEST(Fading, WaysBelowALimitAreKnownAhead) {
  const FadingLaw laws[] = {RayleighFading{}, RiceFading{2}, NakagamiFading{1.5}};
  for (const FadingLaw& law : laws) {
    FadingField field({law, law}, kBand, kPairs, 9);
    field.keep_ahead();
    double known_m = 0;
    double passed_m = 0;
    for (std::size_t pair = 0; pair < kPairs; ++pair) {
      constexpr double kLimitDb = 3;
      constexpr double kStepM = 0.002;
      constexpr double kFarM = 1;
      field.update(pair, 0.37 * static_cast<double>(pair), 0, true);
      const double below_m = field.stays_below_m(pair, true, kLimitDb, 0, kFarM);
      const double later_m = field.stays_below_m(pair, true, kLimitDb, below_m / 2, kFarM);
      EXPECT_TRUE(below_m == 0 || std::abs(below_m - later_m) < 1e-9) << below_m << ' ' << later_m;
      double at_m = 0;
      while (at_m < kFarM && field.update(pair, at_m == 0 ? 0 : kStepM, 0, true) <= kLimitDb) {
        at_m += kStepM;
      }
      EXPECT_GE(at_m, below_m);
      known_m += below_m;
      passed_m += std::min(at_m, kFarM);
    }
    const bool steady = std::holds_alternative<RiceFading>(law);  // its wave counts as in phase with the others
    EXPECT_GT(known_m, (steady ? 0.15 : 0.8) * passed_m);
    EXPECT_EQ(field.stays_below_m(0, true, 100, 0.3, 700), 700);
    EXPECT_EQ(field.stays_below_m(0, true, -200, 0.3, 700), 0.3);
  }
}

// In 64 stretches a level that is over the limit is on a loud one, and only those that the way touches are loud.
TEST(Fading, StretchesThatMayBeLoudAreKnownAhead) {
  constexpr double kLimitDb = 3;
  FadingField field({NakagamiFading{1.5}, NakagamiFading{1.5}}, kBand, kPairs, 9);
  field.keep_ahead();
  const double length_m = field.stretch_m();
  int loud_ones = 0;
  for (std::size_t pair = 0; pair < kPairs; ++pair) {
    field.update(pair, 0.37 * static_cast<double>(pair), 0, true);
    const double begin_m = field.stretch_begin_m(pair, 0.1);
    ASSERT_LE(begin_m, 0.1);
    ASSERT_GT(begin_m, 0.1 - length_m * 1.0001);
    const std::uint64_t loud = field.loud_stretches(pair, true, kLimitDb, begin_m, begin_m, begin_m + 64 * length_m);
    const std::uint64_t few =
        field.loud_stretches(pair, true, kLimitDb, begin_m, begin_m + 7.5 * length_m, begin_m + 9.5 * length_m);
    EXPECT_EQ(few, loud & 0x380U);
    EXPECT_EQ(field.loud_stretches(pair, true, -200, begin_m, begin_m, begin_m + 99 * length_m), ~std::uint64_t{0});
    double at_m = 0;
    for (int step = 1; step < 640; ++step) {
      const double to_m = begin_m + step * length_m / 10;
      if (to_m > 0 && step % 10 != 0) {
        const double gain_db = field.update(pair, to_m - at_m, 0, true);
        at_m = to_m;
        EXPECT_TRUE(gain_db < kLimitDb || (loud >> (step / 10) & 1U) != 0) << pair << ", " << step;
      }
    }
    loud_ones += std::popcount(loud);
  }
  EXPECT_GT(loud_ones, 0);
  EXPECT_LT(loud_ones, static_cast<int>(64 * kPairs) / 2);
}

TEST(Fading, WaysAheadAreUnknownOfTapsAndOfSurroundingsInMotion) {
  for (const Fading& fading :
       {Fading{TdlFading{}, TdlFading{}}, Fading{RayleighFading{}, RayleighFading{}, Hertz{1}}}) {
    FadingField field(fading, kBand, 1, 9);
    field.keep_ahead();
    EXPECT_EQ(field.stays_below_m(0, true, 100, 0.3, 700), 0.3);
    EXPECT_FALSE(field.is_known_ahead(true));
  }
}

TEST(Fading, SameSeedSameLevels) {
  const Fading fading = same_everywhere(RayleighFading{});
  FadingField one(fading, kBand, 10, 3), again(fading, kBand, 10, 3), other(fading, kBand, 10, 4);
  EXPECT_EQ(one.update(7, 1, 0, true), again.update(7, 1, 0, true));
  EXPECT_NE(one.update(7, 1, 0, true), other.update(7, 1, 0, true));
}

TEST(RiceLaw, WithoutASteadyWaveIsRayleigh) {
  for (const double power : {0.01, 0.3, 1.0, 4.0}) {
    EXPECT_NEAR(rice_cdf(0, power), rayleigh_cdf(power), 1e-12);
    EXPECT_NEAR(nakagami_cdf(1, power), rayleigh_cdf(power), 1e-12);
  }
  EXPECT_EQ(rayleigh_cdf(0), 0);
  EXPECT_NEAR(rice_cdf(100, 50), 1, 1e-12);
}

TEST(Fading, NoWayIsSoLongThatTheLevelStays) {
  Fading fading;
  fading.los = fading.nlos = RiceFading{.k = 3};
  for (const double moved_m : {1e7, 1e20, std::numeric_limits<double>::max(), std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::quiet_NaN()}) {
    FadingField field(fading, Hertz{2.4e9}, 1, 1);
    field.update(0, moved_m, 0.1, true);
    double least = 1000, most = -1000;
    for (int i = 0; i < 2000; ++i) {
      const double gain_db = field.update(0, 0.02, 0.1, true);
      least = std::min(least, gain_db);
      most = std::max(most, gain_db);
    }
    EXPECT_LT(most, 12) << moved_m;
    EXPECT_LT(least, most - 3) << "it fades on after a way of " << moved_m << " m";
  }
}

}  // namespace
}  // namespace hilgate::test
