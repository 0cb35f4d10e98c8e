// SPDX-License-Identifier: Apache-2.0
// Whether counts are what chance would give. Seeds are fixed, so a test that passes once passes always; the limits
// say how surprising a result may be.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace hilgate::test {

/// Regularised upper incomplete gamma function Q(a, x): series below a + 1, continued fraction above
/// (Abramowitz & Stegun 6.5.29 and 6.5.31).
inline double upper_gamma(double a, double x) {
  if (x <= 0) {
    return 1;
  }
  const double scale = std::exp(a * std::log(x) - x - std::lgamma(a));
  if (x < a + 1) {
    double term = 1 / a;
    double sum = term;
    for (double n = a + 1; term > sum * 1e-16; ++n) {
      term *= x / n;
      sum += term;
    }
    return 1 - sum * scale;
  }
  double b = x + 1 - a;
  double c = 1e300;
  double d = 1 / b;
  double h = d;
  for (int i = 1; i < 10000; ++i) {
    const double an = -i * (i - a);
    b += 2;
    d = 1 / (an * d + b);
    c = b + an / c;
    h *= d * c;
    if (std::abs(d * c - 1) < 1e-15) {
      break;
    }
  }
  return scale * h;
}

/// Probability that chi-square with `freedom` degrees exceeds `value`.
inline double chi_square_tail(double value, double freedom) {
  return upper_gamma(freedom / 2, value / 2);
}

/// Chi-square test of counts against expectations that sum to the same; 1 - 1e-3 is the usual limit.
inline double chi_square_tail(std::span<const std::uint64_t> counts, std::span<const double> expected) {
  double value = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double off = static_cast<double>(counts[i]) - expected[i];
    value += off * off / expected[i];
  }
  return chi_square_tail(value, static_cast<double>(counts.size() - 1));
}

/// As above for equally likely bins.
inline double uniform_tail(std::span<const std::uint64_t> counts) {
  double total = 0;
  for (const std::uint64_t count : counts) {
    total += static_cast<double>(count);
  }
  const double expected = total / static_cast<double>(counts.size());
  double value = 0;
  for (const std::uint64_t count : counts) {
    const double off = static_cast<double>(count) - expected;
    value += off * off / expected;
  }
  return chi_square_tail(value, static_cast<double>(counts.size() - 1));
}

/// Probability that the greatest distance between a sample's distribution and the true one exceeds that of `shares`,
/// the sample's values under the true distribution function: A. N. Kolmogorov's limit, with M. A. Stephens' correction.
inline double kolmogorov_smirnov_tail(std::span<double> shares) {
  std::sort(shares.begin(), shares.end());
  const auto n = static_cast<double>(shares.size());
  double distance = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const auto at = static_cast<double>(i);
    distance = std::max({distance, (at + 1) / n - shares[i], shares[i] - at / n});
  }
  const double x = (std::sqrt(n) + 0.12 + 0.11 / std::sqrt(n)) * distance;
  double tail = 0;
  for (int k = 1; k < 100; ++k) {
    tail += (k % 2 == 1 ? 2 : -2) * std::exp(-2.0 * k * k * x * x);
  }
  return std::clamp(tail, 0.0, 1.0);
}

inline double binomial_probability(std::uint64_t k, std::uint64_t n, double p) {
  const auto kd = static_cast<double>(k);
  const auto nd = static_cast<double>(n);
  return std::exp(std::lgamma(nd + 1) - std::lgamma(kd + 1) - std::lgamma(nd - kd + 1) + kd * std::log(p) +
                  (nd - kd) * std::log1p(-p));
}

/// Twice the smaller tail of Binomial(n, p) at k, exactly; below 1e-3 lies outside the 99.9 % interval.
inline double binomial_tails(std::uint64_t k, std::uint64_t n, double p) {
  const double mean = static_cast<double>(n) * p;
  const bool low = static_cast<double>(k) < mean;
  double sum = 0;
  double term = binomial_probability(k, n, p);
  const double odds = p / (1 - p);
  for (std::uint64_t i = k; term > sum * 1e-17 || sum == 0;) {
    sum += term;
    if (low) {
      if (i == 0) {
        break;
      }
      term *= static_cast<double>(i) / (static_cast<double>(n - i + 1) * odds);
      --i;
    } else {
      if (i == n) {
        break;
      }
      term *= static_cast<double>(n - i) * odds / static_cast<double>(i + 1);
      ++i;
    }
  }
  return std::min(1.0, 2 * sum);
}

}  // namespace hilgate::test
