// SPDX-License-Identifier: Apache-2.0
// Loss models against their closed forms, at 0.1 % with fixed seeds.
#include "netsim_link/impairments/loss_models.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "netsim_link/impairments/link_limits.h"
#include "tests/support/statistics.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kSeed = 20261121;
constexpr std::uint32_t kLink = 3;
constexpr double kSurprising = 1e-3;

// One frame after the other on one link, `gap` apart in time.
std::vector<bool> losses(const LossModel& model, std::uint64_t frames, Nanoseconds gap = 1ms) {
  LossState state;
  std::vector<bool> lost;
  for (std::uint64_t i = 0; i < frames; ++i) {
    FrameRandom random(kSeed, kLink, i);
    const ImpairedFrame frame{HostTime{gap * static_cast<std::int64_t>(i)}, gap * static_cast<std::int64_t>(i), kSeed,
                              kLink};
    lost.push_back(model.draws_loss(frame, state, random));
  }
  return lost;
}

std::uint64_t count(const std::vector<bool>& lost) {
  return static_cast<std::uint64_t>(std::count(lost.begin(), lost.end(), true));
}

// Lengths of the runs of `value`, those at the ends left out.
std::vector<std::uint64_t> runs_of(const std::vector<bool>& lost, bool value) {
  std::vector<std::uint64_t> runs;
  std::uint64_t length = 0;
  bool inside = false;
  for (std::size_t i = 1; i < lost.size(); ++i) {
    if (lost[i] == value && lost[i - 1] != value) {
      inside = true;
      length = 0;
    }
    length += lost[i] == value ? 1 : 0;
    if (lost[i] != value && lost[i - 1] == value && inside) {
      runs.push_back(length);
    }
  }
  return runs;
}

// Runs against P(length = k), k from 1 on; what is rarer than 10 in the sample lies in the last bin.
double run_length_tail(const std::vector<std::uint64_t>& runs,
                       const std::function<double(std::uint64_t)>& probability) {
  std::vector<double> expected;
  double left = 1;
  const auto total = static_cast<double>(runs.size());
  for (std::uint64_t k = 1; left * total > 10 && probability(k) * total > 10; ++k) {
    expected.push_back(probability(k) * total);
    left -= probability(k);
  }
  expected.push_back(left * total);
  std::vector<std::uint64_t> counts(expected.size());
  for (const std::uint64_t run : runs) {
    ++counts[std::min<std::size_t>(run, counts.size()) - 1];
  }
  return chi_square_tail(counts, expected);
}

std::function<double(std::uint64_t)> geometric(double ends) {
  return [ends](std::uint64_t k) { return ends * std::pow(1 - ends, static_cast<double>(k - 1)); };
}

TEST(LossModels, IndependentLossHasItsShareAndGeometricRuns) {
  const auto lost = losses(IndependentLoss{0.1}, 200'000);
  EXPECT_GT(binomial_tails(count(lost), lost.size(), 0.1), kSurprising);
  EXPECT_GT(run_length_tail(runs_of(lost, true), geometric(0.9)), kSurprising);
  EXPECT_GT(run_length_tail(runs_of(lost, false), geometric(0.1)), kSurprising);
}

TEST(LossModels, BurstsHaveTheConfiguredLengthAndRate) {
  const BurstLoss model{0.01, 3, 6};
  const auto lost = losses(model, 400'000);
  // A burst may begin right behind another, so runs are sums of bursts; the gaps between tell of single frames.
  EXPECT_GT(run_length_tail(runs_of(lost, false), geometric(0.01)), kSurprising);
  std::vector<std::uint64_t> lengths(4);
  std::uint64_t single = 0;
  for (const std::uint64_t run : runs_of(lost, true)) {
    if (run < 6) {  // longer ones may be two
      ++lengths[run - 3];
      ++single;
    }
  }
  lengths.pop_back();
  EXPECT_GT(uniform_tail(lengths), kSurprising);
  const double share = 0.01 * 4.5 / (1 - 0.01 + 0.01 * 4.5);
  EXPECT_NEAR(static_cast<double>(count(lost)) / static_cast<double>(lost.size()), share, 0.05 * share);
}

TEST(LossModels, GilbertElliottHasGeometricStaysInBothStates) {
  const auto lost = losses(GilbertElliottLoss{0.02, 0.25, 0, 1}, 400'000);
  EXPECT_GT(run_length_tail(runs_of(lost, true), geometric(0.25)), kSurprising);
  EXPECT_GT(run_length_tail(runs_of(lost, false), geometric(0.02)), kSurprising);
}

TEST(LossModels, GilbertElliottLosesInBothStatesByTheirOwnRates) {
  const auto lost = losses(GilbertElliottLoss{0.02, 0.1, 0.01, 0.6}, 400'000);
  const double bad = 0.02 / 0.12;
  const double share = bad * 0.6 + (1 - bad) * 0.01;
  // Variance of the mean of a two-state chain with correlation r = 1 - p - q: inflated by (1 + r) / (1 - r).
  const double sigma = std::sqrt(share * (1 - share) / 400'000 * (1 + 0.88) / (1 - 0.88));
  EXPECT_NEAR(static_cast<double>(count(lost)) / 400'000, share, 3.3 * sigma);
}

// 2 % lost in bursts of 200 ms. By frames, a burst of four lasts as long as four repeats of TCP, at 0.2, 0.4, 0.8 ...
// s.
TEST(LossModels, GilbertElliottInTimeEndsItsBurstsOnQuietLinks) {
  const GilbertElliottTimeLoss model{{9'800ms, 200ms}, 0, 1};
  const auto dense = losses(model, 2'000'000, 1ms);
  EXPECT_NEAR(static_cast<double>(count(dense)) / 2e6, 0.02, 0.005);
  EXPECT_NEAR(2e6 * 0.02 / static_cast<double>(runs_of(dense, true).size()), 200, 60) << "ms, the mean burst";
  // Frames a second apart meet a burst hardly more often than alone, and the same bursts as the dense ones.
  const auto sparse = losses(model, 2'000, 1s);
  const auto runs = runs_of(sparse, true);
  EXPECT_LE(*std::max_element(runs.begin(), runs.end()), 3u);
  for (std::size_t i = 0; i < sparse.size(); ++i) {
    ASSERT_EQ(sparse[i], dense[1000 * i]) << i;
  }
}

TEST(LossModels, GilbertElliottInTimeLosesInBothStatesByTheirOwnRates) {
  const auto lost = losses(GilbertElliottTimeLoss{{100ms, 100ms}, 0.1, 0.7}, 400'000);
  EXPECT_NEAR(static_cast<double>(count(lost)) / 400'000, 0.4, 0.03);
}

TEST(LossModels, FourStatesLoseInBurstsAndSingly) {
  const FourStateLoss model{0.01, 0.3, 0.2, 0.4, 0.005};
  const auto lost = losses(model, 600'000);
  // Balance: pi3 (p31 + p32) = pi1 p13 + pi2 p23, pi2 p23 = pi3 p32, pi4 = pi1 p14.
  const double pi3_per_pi1 = model.p13 / model.p31;
  const double pi2_per_pi1 = pi3_per_pi1 * model.p32 / model.p23;
  const double pi1 = 1 / (1 + pi3_per_pi1 + pi2_per_pi1 + model.p14);
  const double share = pi1 * (pi3_per_pi1 + model.p14);
  EXPECT_NEAR(static_cast<double>(count(lost)) / 600'000, share, 0.04 * share);
  // Of runs of losses a share are single ones out of state 4; the others end with p31 + p32.
  const double from_gap = model.p13 + model.p23 * pi2_per_pi1;
  const double single = model.p14 / (model.p14 + from_gap);
  const auto burst = geometric(model.p31 + model.p32);
  EXPECT_GT(run_length_tail(runs_of(lost, true),
                            [&](std::uint64_t k) { return (1 - single) * burst(k) + (k == 1 ? single : 0); }),
            kSurprising);
}

TEST(LossModels, FadesHaveTheDwellsOfTheirSpeedAndRunInTime) {
  // 2 m/s at 5.8 GHz, 10 dB below the mean: 3.43 ms in fades, 32.6 ms between (Wang and Moayeri, 1995).
  const FadingLoss fading = FadingLoss::rayleigh({2 * 5.8e9 / 299'792'458}, {-10});
  EXPECT_NEAR(static_cast<double>(fading.fades.bad.count()), 3.43e6, 0.01e6);
  EXPECT_NEAR(static_cast<double>(fading.fades.good.count()), 32.6e6, 0.05e6);

  constexpr Nanoseconds kGap = 100us;
  const auto lost = losses(fading, 2'000'000, kGap);
  std::vector<double> shares;
  for (const std::uint64_t run : runs_of(lost, true)) {
    // Exponential, seen at steps of the gap: geometric. A random point within the step makes it continuous again.
    FrameRandom jitter(kSeed, 1, shares.size());
    const double q = std::exp(-static_cast<double>(kGap.count()) / static_cast<double>(fading.fades.bad.count()));
    const auto k = static_cast<double>(run);
    shares.push_back(1 - std::pow(q, k - 1) + jitter.uniform() * (std::pow(q, k - 1) - std::pow(q, k)));
  }
  EXPECT_GT(shares.size(), 5000U);
  EXPECT_GT(kolmogorov_smirnov_tail(shares), kSurprising);

  // The same fades whatever the traffic: every tenth frame meets what it met before.
  const auto thin = losses(fading, 200'000, 10 * kGap);
  for (std::size_t i = 0; i < thin.size(); ++i) {
    ASSERT_EQ(thin[i], lost[10 * i]) << i;
  }
}

TEST(LossModels, DoNothingWhenDisabledByTheirPreamble) {
  EXPECT_EQ(count(losses(IndependentLoss{0}, 1000)), 0U);
  EXPECT_EQ(count(losses(BurstLoss{0, 1, 9}, 1000)), 0U);
  EXPECT_EQ(count(losses(GilbertElliottLoss{0, 1, 0, 1}, 1000)), 0U);
  EXPECT_EQ(count(losses(GilbertElliottTimeLoss{{1ms, 0ms}, 0, 1}, 1000)), 0U);
  EXPECT_EQ(count(losses(FourStateLoss{0, 1, 0, 1, 0}, 1000)), 0U);
  EXPECT_EQ(count(losses(FadingLoss{{1ms, 0ms}, 1}, 1000)), 0U);
  EXPECT_EQ(count(losses(IndependentLoss{1}, 1000)), 1000U);
}

TEST(Outage, CoversItsTimesAndNoOthers) {
  const Outage once{10s, 2s, 0s};
  EXPECT_FALSE(once.covers(10s - 1ns));
  EXPECT_TRUE(once.covers(10s));
  EXPECT_TRUE(once.covers(12s - 1ns));
  EXPECT_FALSE(once.covers(12s));
  const Outage again{10s, 2s, 60s};
  EXPECT_FALSE(again.covers(1s));
  EXPECT_TRUE(again.covers(130s));
  EXPECT_TRUE(again.covers(132s - 1ns));
  EXPECT_FALSE(again.covers(132s));
  EXPECT_FALSE((Outage{0s, 0s, 0s}.covers(0s)));
}

double mean_loss(const LossModel& model) {
  return model.mean_loss();
}

TEST(LossModels, MeanLossOfEach) {
  EXPECT_EQ(mean_loss(IndependentLoss{.probability = 0.25}), 0.25);
  EXPECT_DOUBLE_EQ(mean_loss(BurstLoss{.probability = 0.1, .least = 3, .most = 3}), 0.3 / 1.2);
  EXPECT_EQ(mean_loss(BurstLoss{.probability = 1, .least = 2, .most = 4}), 1);
  EXPECT_DOUBLE_EQ(mean_loss(GilbertElliottLoss{.to_bad = 0.1, .to_good = 0.3, .good_loss = 0, .bad_loss = 0.8}), 0.2);
  EXPECT_DOUBLE_EQ(mean_loss(FadingLoss{.fades = {.good = 3s, .bad = 1s}, .bad_loss = 0.4}), 0.1);
  EXPECT_DOUBLE_EQ(
      mean_loss(GilbertElliottTimeLoss{.states = {.good = 1s, .bad = 1s}, .good_loss = 0.1, .bad_loss = 0.5}), 0.3);
  FrameRandom random(7, 0, 0);
  const FourStateLoss four{.p13 = 0.05, .p31 = 0.3, .p32 = 0.4, .p23 = 0.5, .p14 = 0.02};
  FourStateLoss::State state;
  int lost = 0;
  constexpr int kFrames = 400'000;
  for (int i = 0; i < kFrames; ++i) {
    lost += four.lost({}, state, random) ? 1 : 0;
  }
  EXPECT_NEAR(mean_loss(four), static_cast<double>(lost) / kFrames, 0.005);
}

}  // namespace
}  // namespace hilgate::test
