// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/propagation/shadowing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/rf_profiles/statistics.h"

namespace hilgate::test {
namespace {

constexpr Shadowing kUmi{{{4}, 10}, {{7.82}, 13}};

std::vector<double> over_pairs(ShadowField& field, std::size_t pairs, double moved_m, bool line_of_sight) {
  std::vector<double> values;
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    values.push_back(field.update(pair, moved_m, line_of_sight));
  }
  return values;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) {
    sum += value;
  }
  return sum / static_cast<double>(values.size());
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const double mean_a = mean(a);
  const double mean_b = mean(b);
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return ab / std::sqrt(aa * bb);
}

TEST(Shadowing, IsNormalAtFirstAndAfterEveryMove) {
  constexpr std::size_t kPairs = 5'000;
  ShadowField field(kUmi, kPairs, 7);
  for (const double moved : {0.0, 0.03, 1.2345, 8.0, 5000.0}) {
    const auto values = over_pairs(field, kPairs, moved, true);
    EXPECT_LT(kolmogorov_distance(values, [](double x) { return normal_cdf(x / 4); }), kolmogorov_limit(kPairs))
        << moved;
  }
  const auto behind_walls = over_pairs(field, kPairs, 0, false);
  EXPECT_LT(kolmogorov_distance(behind_walls, [](double x) { return normal_cdf(x / 7.82); }), kolmogorov_limit(kPairs));
}

TEST(Shadowing, IsAsWideBetweenGridPointsAsOnThem) {
  constexpr std::size_t kPairs = 100'000;
  ShadowField field({{{1}, 10}, {{1}, 10}}, kPairs, 19);
  for (int place = 0; place < 12; ++place) {  // a sixth of a grid step farther each time
    const auto values = over_pairs(field, kPairs, place == 0 ? 0 : 10.0 / 20 / 6, true);
    double squares = 0;
    for (const double value : values) {
      squares += value * value;
    }
    EXPECT_NEAR(std::sqrt(squares / kPairs), 1, 0.008) << place;
  }
}

TEST(Shadowing, CorrelationFallsWithTheDistanceMoved) {
  constexpr std::size_t kPairs = 5'000;
  for (const double moved : {0.5, 5.0, 10.0, 20.0, 200.0}) {
    ShadowField field(kUmi, kPairs, 11);
    const auto before = over_pairs(field, kPairs, 0, true);
    const auto after = over_pairs(field, kPairs, moved, true);
    EXPECT_NEAR(correlation(before, after), shadow_correlation(moved, 10), 0.05) << moved;
  }
}

TEST(Shadowing, IsIndependentOfTheNumberOfQueries) {
  ShadowField coarse(kUmi, 50, 3);
  ShadowField fine(kUmi, 50, 3);
  for (std::size_t pair = 0; pair < 50; ++pair) {
    coarse.update(pair, 0, true);
    fine.update(pair, 0, true);
    for (int window = 0; window < 20; ++window) {
      double last = 0;
      for (int part = 0; part < 16; ++part) {
        last = fine.update(pair, 0.5 / 16, true);
      }
      EXPECT_NEAR(coarse.update(pair, 0.5, true), last, 1e-6);
    }
  }
}

TEST(Shadowing, StandingStillChangesNothing) {
  ShadowField field(kUmi, 1, 3);
  const double first = field.update(0, 0, true);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(field.update(0, 0, true), first);
  }
}

TEST(Shadowing, ChangeOfSightDrawsAnew) {
  constexpr std::size_t kPairs = 5'000;
  ShadowField field(kUmi, kPairs, 5);
  const auto sight = over_pairs(field, kPairs, 0, true);
  const auto behind = over_pairs(field, kPairs, 0, false);
  const auto sight_again = over_pairs(field, kPairs, 0, true);
  EXPECT_NEAR(correlation(sight, behind), 0, 0.06);
  EXPECT_NEAR(correlation(sight, sight_again), 0, 0.06);
}

TEST(Shadowing, SameSeedSameValuesWhateverTheOrderOfPairs) {
  ShadowField forward(kUmi, 100, 9), backward(kUmi, 100, 9), other(kUmi, 100, 10);
  int same_as_other_seed = 0;
  std::vector<double> values(100);
  for (std::size_t pair = 0; pair < 100; ++pair) {
    values[pair] = forward.update(pair, 0, true);
  }
  for (std::size_t pair = 100; pair-- > 0;) {
    EXPECT_EQ(backward.update(pair, 0, true), values[pair]);
    same_as_other_seed += other.update(pair, 0, true) == values[pair] ? 1 : 0;
  }
  EXPECT_EQ(same_as_other_seed, 0);
}

TEST(Shadowing, WithoutSpreadShadowingIsAbsent) {
  ShadowField none({}, 10, 1);
  EXPECT_EQ(none.update(3, 12, true), 0);
  ShadowField half({{0, 10}, {3, 10}}, 10, 1);
  EXPECT_EQ(half.update(3, 12, true), 0);
  EXPECT_NE(half.update(3, 12, false), 0);
}

TEST(Shadowing, AWayThatIsNoNumberOrNoEndIsAJumpAndNoWalk) {
  for (const double moved_m : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::max()}) {
    ShadowField field(kUmi, 1, 1);
    field.update(0, 0, true);
    const double jumped = field.update(0, moved_m, true);
    EXPECT_LT(std::abs(jumped), 10 * kUmi.los.sigma.value) << moved_m;
    EXPECT_EQ(field.update(0, 0, true), jumped) << "it goes on as from any other place";
    EXPECT_NEAR(field.update(0, 0.1, true), jumped, 4) << "and is correlated with what was there";
  }
}

// Steps of all lengths, short of what was looked ahead to and beyond it: the values are those of a pair that never was
// looked ahead for, and none is below what was asked for.
TEST(Shadowing, ForecastEqualsTheLaterValue) {
  const Shadowing shadowing{{{4}, 10}, {{6}, 20}};
  constexpr std::uint32_t kPairs = 40;
  ShadowField plain(shadowing, kPairs, 11);
  ShadowField looking(shadowing, kPairs, 11);
  looking.keep_ahead();
  FrameRandom random(3, 0, 0);
  std::vector<ShadowField::Prospect> told(kPairs);
  std::vector<double> moved_m(kPairs, 0);  // since
  std::vector<bool> sight(kPairs, true);
  std::size_t kept = 0;
  std::size_t to_the_end = 0;
  for (int step = 0; step < 20'000; ++step) {
    const auto pair = static_cast<std::uint32_t>(random.uniform() * kPairs);
    if (random.uniform() < 0.02) {
      sight[pair] = !sight[pair];
      told[pair].far_m = 0;
    }
    const double by_m = random.uniform() < 0.5 ? std::max(told[pair].far_m - moved_m[pair], 0.0)
                                               : 2 * random.uniform() * random.uniform() * random.uniform();
    moved_m[pair] += by_m;
    const double loss_db = plain.update(pair, by_m, sight[pair]);
    ASSERT_NEAR(looking.update(pair, by_m, sight[pair]), loss_db, 1e-9) << "step " << step;
    if (told[pair].far_m > 0 && moved_m[pair] <= told[pair].far_m) {
      ASSERT_GE(loss_db, (sight[pair] ? 4 : 6) * told[pair].least - 1e-9) << "step " << step;
      ++kept;
    }
    if (random.uniform() < 0.7) {
      told[pair] = {.pair = pair, .line_of_sight = sight[pair], .least = 3 * random.uniform() - 2.5};
      moved_m[pair] = 0;
      looking.look_ahead(std::span(&told[pair], 1));
      to_the_end += told[pair].far_m > looking.most_ahead_m(sight[pair]) * 0.96 ? 1 : 0;
    }
  }
  EXPECT_GT(kept, 1000u);
  EXPECT_GT(to_the_end, 1000u);
}

// A pair that may fall below its least goes on while it is allowed to, and all its way is asked for, without gaps.
TEST(Shadowing, LooksOnWhereLessIsAllowed) {
  constexpr double kNever = 20;
  ShadowField plain(Shadowing{{{4}, 10}, {{4}, 10}}, 1, 5);
  ShadowField looking(Shadowing{{{4}, 10}, {{4}, 10}}, 1, 5);
  looking.keep_ahead();
  for (const double moved_m : {0.0, 0.2}) {
    plain.update(0, moved_m, true);
    looking.update(0, moved_m, true);
  }
  std::vector<ShadowField::Stretch> asked;
  ShadowField::Scratch scratch;
  ShadowField::Prospect prospect{.pair = 0, .least = kNever};
  const auto allow = [&](double up_to_m) {
    asked.clear();
    looking.look_ahead(std::span(&prospect, 1), scratch, [&](std::size_t, const ShadowField::Stretch& stretch) {
      asked.push_back(stretch);
      return stretch.end_m <= up_to_m;
    });
    return prospect.far_m;
  };
  EXPECT_EQ(allow(0), 0);
  EXPECT_NEAR(allow(5.1), 4.8, 1e-12) << "the grid points are half a metre apart";
  EXPECT_NEAR(allow(100), looking.most_ahead_m(true) - 0.2, 1e-12);
  double end_m = 0;
  double at_m = 0;
  for (const ShadowField::Stretch& stretch : asked) {
    EXPECT_EQ(stretch.begin_m, end_m);
    end_m = stretch.end_m;
    for (int part = 0; part < 8; ++part) {
      const double next_m = stretch.begin_m + (end_m - stretch.begin_m) * part / 8;
      EXPECT_GE(plain.update(0, next_m - at_m, true), 4 * stretch.least - 1e-9);
      at_m = next_m;
    }
  }
}

TEST(Shadowing, WithoutAnyNothingIsAhead) {
  ShadowField none({}, 3, 1);
  none.keep_ahead();
  std::array<ShadowField::Prospect, 2> prospects{{{.pair = 0, .least = -1}, {.pair = 1, .least = 0.5}}};
  none.look_ahead(prospects);
  EXPECT_EQ(prospects[0].far_m, none.most_ahead_m(true));
  EXPECT_EQ(prospects[1].far_m, 0);
}

}  // namespace
}  // namespace hilgate::test
