// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/fading/fading_waves.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "rf_profiles/fading/fading_laws.h"
#include "rf_profiles/numeric/normal.h"

namespace hilgate {

PowerMap::PowerMap(const std::function<double(double probability)>& quantile) {
  for (std::int32_t i = 0; i <= kEntries; ++i) {
    const double amplitude = kHighest * i / kEntries;
    table_[i] = static_cast<float>(quantile(rayleigh_cdf(amplitude * amplitude)));
  }
}

namespace {

using Complex = std::complex<double>;

/// In place, size a power of two, unnormalised, exponent +j (J. W. Cooley, J. W. Tukey, 1965).
void inverse_fourier(std::vector<Complex>& x) {
  const std::size_t n = x.size();
  for (std::size_t i = 1, j = 0; i < n; ++i) {
    std::size_t bit = n >> 1;
    for (; (j & bit) != 0; bit >>= 1) {
      j ^= bit;
    }
    j ^= bit;
    if (i < j) {
      std::swap(x[i], x[j]);
    }
  }
  for (std::size_t half = 1; half < n; half *= 2) {
    for (std::size_t k = 0; k < half; ++k) {
      const Complex turn = std::polar(1.0, std::numbers::pi * static_cast<double>(k) / static_cast<double>(half));
      for (std::size_t i = k; i < n; i += 2 * half) {
        const Complex odd = turn * x[i + half];
        x[i + half] = x[i] - odd;
        x[i] += odd;
      }
    }
  }
}

/// Power between two spatial frequencies, in units of 1/wavelength: the integral of 1 / (pi sqrt(1 - f^2)).
double jakes_power(double low, double high) {
  return (std::asin(std::min(high, 1.0)) - std::asin(std::max(low, -1.0))) / std::numbers::pi;
}

}  // namespace

// Between two samples it is no more than at the greater one.
double ClarkeWave::greatest_power() const {
  double most = 0;
  for (const std::complex<float>& gain : gain_) {
    most = std::max(most, static_cast<double>(std::norm(gain)));
  }
  return most;
}

std::vector<double> ClarkeWave::greatest_powers() const {
  constexpr std::size_t kLong = kSamplesPerWavelength / kStretches;
  std::vector<double> powers;
  for (std::size_t begin = 0; begin < kSamples; begin += kLong) {
    double most = 0;
    for (std::size_t i = begin; i <= begin + kLong; ++i) {
      most = std::max(most, static_cast<double>(std::norm(gain_[i])));
    }
    powers.push_back(most);
  }
  return powers;
}

ClarkeWave::ClarkeWave(std::uint64_t seed) {
  constexpr auto kBand = static_cast<std::int64_t>(kPeriod);  // bins from -1 to 1 per wavelength
  std::vector<Complex> spectrum(kSamples);
  for (std::int64_t bin = -kBand; bin <= kBand; ++bin) {
    FrameRandom random(seed, 0, static_cast<std::uint64_t>(bin + kBand));
    const double centre = static_cast<double>(bin) / kPeriod;
    const double power = jakes_power(centre - 0.5 / kPeriod, centre + 0.5 / kPeriod);
    const double in_phase = draw_normal(random);
    const double quadrature = draw_normal(random);
    spectrum[static_cast<std::size_t>(bin + static_cast<std::int64_t>(kSamples)) % kSamples] =
        std::sqrt(power / 2) * Complex(in_phase, quadrature);
  }
  inverse_fourier(spectrum);
  gain_.assign(spectrum.begin(), spectrum.end());
  gain_.push_back(gain_.front());
}

}  // namespace hilgate
