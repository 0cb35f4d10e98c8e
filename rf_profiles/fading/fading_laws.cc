// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/fading/fading_laws.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "config/range.h"
#include "config/yaml_reader.h"
#include "rf_profiles/numeric/decibel.h"

namespace hilgate {

void RiceFading::read(YamlReader& law) {
  k = ratio(within<Decibels>(law, "k", -40, 40));
}

namespace {

double nakagami_quantile(double m, double probability) {
  double low = 0;
  double high = 200;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (nakagami_cdf(m, middle) < probability ? low : high) = middle;
  }
  return low;
}

}  // namespace

void NakagamiFading::read(YamlReader& law) {
  m = number_within(law, "m", 0.5, 100);
}

FadingWaves NakagamiFading::waves() const {
  return {.map = std::make_shared<const PowerMap>(
              [shape = m](double probability) { return nakagami_quantile(shape, probability); })};
}

namespace {

// TR 38.901 tables 7.7.2-1 to 7.7.2-5.
constexpr TdlTap kA[] = {{0, {-13.4}},      {.3819, {0}},      {.4025, {-2.2}},   {.5868, {-4.0}},   {.4610, {-6.0}},
                         {.5375, {-8.2}},   {.6708, {-9.9}},   {.5750, {-10.5}},  {.7618, {-7.5}},   {1.5375, {-15.9}},
                         {1.8978, {-6.6}},  {2.2242, {-16.7}}, {2.1718, {-12.4}}, {2.4942, {-15.2}}, {2.5119, {-10.8}},
                         {3.0582, {-11.3}}, {4.0810, {-12.7}}, {4.4579, {-16.2}}, {4.5695, {-18.3}}, {4.7966, {-18.9}},
                         {5.0066, {-16.6}}, {5.3043, {-19.9}}, {9.6586, {-29.7}}};
constexpr TdlTap kB[] = {{0, {0}},          {.1072, {-2.2}},  {.2155, {-4.0}},   {.2095, {-3.2}},  {.2870, {-9.8}},
                         {.2986, {-1.2}},   {.3752, {-3.4}},  {.5055, {-5.2}},   {.3681, {-7.6}},  {.3697, {-3.0}},
                         {.5700, {-8.9}},   {.5283, {-9.0}},  {1.1021, {-4.8}},  {1.2756, {-5.7}}, {1.5474, {-7.5}},
                         {1.7842, {-1.9}},  {2.0169, {-7.6}}, {2.8294, {-12.2}}, {3.0219, {-9.8}}, {3.6187, {-11.4}},
                         {4.1067, {-14.9}}, {4.2790, {-9.2}}, {4.7834, {-11.3}}};
constexpr TdlTap kC[] = {{0, {-4.4}},       {.2099, {-1.2}},   {.2219, {-3.5}},   {.2329, {-5.2}},   {.2176, {-2.5}},
                         {.6366, {0}},      {.6448, {-2.2}},   {.6560, {-3.9}},   {.6584, {-7.4}},   {.7935, {-7.1}},
                         {.8213, {-10.7}},  {.9336, {-11.1}},  {1.2285, {-5.1}},  {1.3083, {-6.8}},  {2.1704, {-8.7}},
                         {2.7105, {-13.2}}, {4.2589, {-13.9}}, {4.6003, {-13.9}}, {5.4902, {-15.8}}, {5.6077, {-17.1}},
                         {6.3065, {-16}},   {6.6374, {-15.7}}, {7.0427, {-21.6}}, {8.6523, {-22.8}}};
constexpr TdlTap kD[] = {{0, {-0.2}},      {0, {-13.5}},     {.035, {-18.8}},  {.612, {-21}},    {1.363, {-22.8}},
                         {1.405, {-17.9}}, {1.804, {-20.1}}, {2.596, {-21.9}}, {1.775, {-22.9}}, {4.042, {-27.8}},
                         {7.937, {-23.6}}, {9.424, {-24.8}}, {9.708, {-30.0}}, {12.525, {-27.7}}};
constexpr TdlTap kE[] = {{0, {-0.03}},      {0, {-22.03}},      {.5133, {-15.8}},  {.5440, {-18.1}},
                         {.5630, {-19.8}},  {.5440, {-22.9}},   {.7112, {-22.4}},  {1.9092, {-18.6}},
                         {1.9293, {-20.8}}, {1.9589, {-22.6}},  {2.6426, {-22.3}}, {3.7136, {-25.6}},
                         {5.4524, {-20.2}}, {12.0034, {-29.8}}, {20.6519, {-29.2}}};
constexpr TdlProfile kProfiles[] = {
    {"TDL-A", kA, false}, {"TDL-B", kB, false}, {"TDL-C", kC, false}, {"TDL-D", kD, true}, {"TDL-E", kE, true}};

}  // namespace

std::vector<double> TdlProfile::powers() const {
  std::vector<double> powers;
  double sum = 0;
  for (const TdlTap& tap : taps) {
    powers.push_back(ratio(tap.power));
    sum += powers.back();
  }
  for (double& power : powers) {
    power /= sum;
  }
  return powers;
}

double TdlProfile::mean_delay() const {
  const std::vector<double> power = powers();
  double mean = 0;
  for (std::size_t i = 0; i < taps.size(); ++i) {
    mean += power[i] * taps[i].delay;
  }
  return mean;
}

double TdlProfile::rms_delay_spread() const {
  const std::vector<double> power = powers();
  double square = 0;
  for (std::size_t i = 0; i < taps.size(); ++i) {
    square += power[i] * taps[i].delay * taps[i].delay;
  }
  const double mean = mean_delay();
  return std::sqrt(square - mean * mean);
}

Decibels TdlProfile::first_k() const {
  return taps[0].power - taps[1].power;
}

std::span<const TdlProfile> tdl_profiles() {
  return kProfiles;
}

const TdlProfile& tdl_profile(std::string_view name) {
  for (const TdlProfile& profile : kProfiles) {
    if (profile.name == name) {
      return profile;
    }
  }
  throw std::runtime_error("unknown tapped delay line '" + std::string(name) + "'; TDL-A, TDL-B, TDL-C, TDL-D, TDL-E");
}

void TdlFading::read(YamlReader& law) {
  std::vector<std::pair<std::string, std::string>> lines;
  for (const TdlProfile& profile : tdl_profiles()) {
    lines.emplace_back(profile.name, profile.name);
  }
  line = law.choice<std::string>("line", lines, {"TDL-A"});
  if (law.has("delay_spread")) {
    delay_spread = time_within(law, "delay_spread", Nanoseconds{1}, Nanoseconds{10'000});
  }
}

FadingWaves TdlFading::waves() const {
  const TdlProfile& profile = tdl_profile(line);
  FadingWaves waves{.taps = profile.powers()};
  if (profile.line_of_sight) {
    waves.steady = waves.taps.front();
    waves.taps.erase(waves.taps.begin());
  }
  for (std::size_t tap = profile.taps.size() - waves.taps.size(); delay_spread && tap < profile.taps.size(); ++tap) {
    waves.delays_s.push_back(profile.taps[tap].delay * 1e-9 * static_cast<double>(delay_spread->count()));
  }
  return waves;
}

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
