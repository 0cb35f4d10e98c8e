// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/fading/fading_law.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "rf_profiles/numeric/decibel.h"

namespace hilgate {
namespace {

constexpr double kFirstZeroOfJ0 = 2.404825557695773;

/// x^a e^-x / Gamma(a): the factor both expansions share.
double gamma_factor(double a, double x) {
  return std::exp(a * std::log(x) - x - std::lgamma(a));
}

double gamma_series(double a, double x) {
  double term = 1 / a;
  double sum = term;
  for (double n = a + 1; term > sum * std::numeric_limits<double>::epsilon(); ++n) {
    term *= x / n;
    sum += term;
  }
  return sum * gamma_factor(a, x);
}

/// The upper function by its continued fraction, evaluated from the front (W. J. Lentz, 1976).
double upper_gamma_fraction(double a, double x) {
  constexpr double kTiny = 1e-300;
  double b = x + 1 - a;
  double c = 1 / kTiny;
  double d = 1 / b;
  double value = d;
  for (int i = 1; i < 1000; ++i) {
    const double numerator = -i * (i - a);
    b += 2;
    d = 1 / (numerator * d + b);
    c = b + numerator / c;
    value *= d * c;
    if (std::abs(d * c - 1) < 1e-15) {
      break;
    }
  }
  return value * gamma_factor(a, x);
}

}  // namespace

double lower_gamma(double a, double x) {
  if (x <= 0) {
    return 0;
  }
  return x < a + 1 ? gamma_series(a, x) : 1 - upper_gamma_fraction(a, x);
}

double rayleigh_cdf(double power) {
  return -std::expm1(-power);
}

double rice_cdf(double k, double power) {
  // The non-central chi-square distribution with two degrees of freedom as a Poisson mixture of central ones: all
  // terms are positive, so nothing cancels.
  const double x = (1 + k) * power;
  double weight = std::exp(-k);
  double left = 1 - weight;
  double sum = weight * lower_gamma(1, x);
  for (int j = 1; left > 1e-16 && j < 10'000; ++j) {
    weight *= k / j;
    left -= weight;
    sum += weight * lower_gamma(j + 1, x);
    if (j > k && weight < 1e-18) {
      break;
    }
  }
  return sum;
}

double nakagami_cdf(double m, double power) {
  return lower_gamma(m, m * power);
}

Hertz doppler_of_speed(double speed_mps, Hertz carrier) {
  return {speed_mps * carrier.value / kLightSpeed};
}

double doppler_autocorrelation(Hertz doppler, double lag_s) {
  return std::cyl_bessel_j(0.0, 2 * std::numbers::pi * doppler.value * lag_s);
}

double coherence_time_s(Hertz doppler) {
  return 0.423 / doppler.value;
}

double first_zero_lag_s(Hertz doppler) {
  return kFirstZeroOfJ0 / (2 * std::numbers::pi * doppler.value);
}

double level_crossing_rate(Hertz doppler, double level) {
  return std::sqrt(2 * std::numbers::pi) * doppler.value * level * std::exp(-level * level);
}

double average_fade_s(Hertz doppler, double level) {
  return std::expm1(level * level) / (level * doppler.value * std::sqrt(2 * std::numbers::pi));
}

}  // namespace hilgate
