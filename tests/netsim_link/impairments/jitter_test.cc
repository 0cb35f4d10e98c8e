// SPDX-License-Identifier: Apache-2.0
// Delays against their distribution functions, at 0.1 % with fixed seeds.
#include "netsim_link/impairments/delay_models.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "tests/support/statistics.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kJitterSeed = 4711;
constexpr double kJitterSurprising = 1e-3;

std::vector<Nanoseconds> delays(const Jitter& jitter, std::uint64_t frames, Nanoseconds gap) {
  JitterState state;
  std::vector<Nanoseconds> all;
  for (std::uint64_t i = 0; i < frames; ++i) {
    FrameRandom random(kJitterSeed, 1, i);
    all.push_back(draw_delay(jitter, HostTime{gap * static_cast<std::int64_t>(i)}, state, random));
  }
  return all;
}

// How surprising the delays are under a distribution function of nanoseconds.
double tail(const std::vector<Nanoseconds>& delays, const std::function<double(double)>& probability) {
  std::vector<double> shares;
  for (const Nanoseconds delay : delays) {
    shares.push_back(probability(static_cast<double>(delay.count())));
  }
  return kolmogorov_smirnov_tail(shares);
}

double correlation(const std::vector<double>& values, std::size_t lag) {
  double mean = 0;
  for (const double value : values) {
    mean += value / static_cast<double>(values.size());
  }
  double both = 0;
  double own = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    own += (values[i] - mean) * (values[i] - mean);
    both += i + lag < values.size() ? (values[i] - mean) * (values[i + lag] - mean) : 0;
  }
  return both / own;
}

TEST(Jitter, UniformDelaysAreUniform) {
  const Jitter jitter{UniformDelay{1ms, 3ms}};
  EXPECT_GT(tail(delays(jitter, 50'000, 1us), [](double x) { return (x - 1e6) / 2e6; }), kJitterSurprising);
}

TEST(Jitter, NormalDelaysAreNormal) {
  const Jitter jitter{NormalDelay{10ms, 1ms}};
  EXPECT_GT(tail(delays(jitter, 50'000, 1us), [](double x) { return normal_probability((x - 10e6) / 1e6); }),
            kJitterSurprising);
}

TEST(Jitter, NormalDelaysAreNeverNegative) {
  for (const Nanoseconds delay : delays(Jitter{NormalDelay{1ms, 5ms}}, 10'000, 1us)) {
    ASSERT_GE(delay, 0ns);
  }
}

TEST(Jitter, ParetoDelaysFollowTheirPowerLaw) {
  const Jitter jitter{ParetoDelay{2ms, 2.5}};
  EXPECT_GT(tail(delays(jitter, 50'000, 1us), [](double x) { return 1 - std::pow(2e6 / x, 2.5); }), kJitterSurprising);
}

TEST(Jitter, TableDelaysAreLinearBetweenTheQuantiles) {
  const Jitter jitter{TableDelay{{0ms, 1ms, 1ms + 1us, 5ms}}};
  const auto probability = [](double x) {
    if (x < 1e6) {
      return x / 1e6 / 3;
    }
    return x < 1.001e6 ? (1 + (x - 1e6) / 1e3) / 3 : (2 + (x - 1.001e6) / (5e6 - 1.001e6)) / 3;
  };
  EXPECT_GT(tail(delays(jitter, 50'000, 1us), probability), kJitterSurprising);
}

TEST(Jitter, CorrelatedDelaysKeepTheDistributionAndDecayWithTheirHalfLife) {
  const Jitter jitter{NormalDelay{10ms, 1ms}, JitterMode::kCorrelated, 5ms};
  const auto all = delays(jitter, 200'000, 1ms);
  std::vector<Nanoseconds> apart;  // every 100th: correlated by 2^-20, as good as independent
  std::vector<double> values;
  for (std::size_t i = 0; i < all.size(); ++i) {
    values.push_back(static_cast<double>(all[i].count()));
    if (i % 100 == 0) {
      apart.push_back(all[i]);
    }
  }
  EXPECT_GT(tail(apart, [](double x) { return normal_probability((x - 10e6) / 1e6); }), kJitterSurprising);
  EXPECT_NEAR(correlation(values, 1), std::exp2(-0.2), 0.02);
  EXPECT_NEAR(correlation(values, 5), 0.5, 0.03);
  EXPECT_NEAR(correlation(values, 15), 0.125, 0.03);
}

TEST(Jitter, CorrelationHoldsForEveryDistribution) {
  const auto all = delays(Jitter{UniformDelay{1ms, 3ms}, JitterMode::kCorrelated, 5ms}, 200'000, 1ms);
  std::vector<Nanoseconds> apart;
  for (std::size_t i = 0; i < all.size(); i += 100) {
    apart.push_back(all[i]);
  }
  EXPECT_GT(tail(apart, [](double x) { return (x - 1e6) / 2e6; }), kJitterSurprising);
}

TEST(StandardNormal, QuantileUndoesTheDistributionFunction) {
  // Wichura's own examples.
  EXPECT_NEAR(normal_quantile(0.25), -0.6744897501960817, 1e-15);
  EXPECT_NEAR(normal_quantile(0.001), -3.090232306167814, 1e-14);
  EXPECT_NEAR(normal_quantile(1e-20), -9.262340089798408, 1e-13);
  for (double z = -8; z <= 5; z += 0.125) {
    EXPECT_NEAR(normal_quantile(normal_probability(z)), z, 1e-9) << z;
  }
  EXPECT_TRUE(std::isinf(normal_quantile(1)));
}

}  // namespace
}  // namespace hilgate::test
