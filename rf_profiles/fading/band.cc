// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/fading/band.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace hilgate {

Band::Band(Hertz width, double longest_delay_s)
    : width_hz_(width.value),
      frequencies_(static_cast<std::size_t>(std::clamp(std::ceil(4 * width.value * longest_delay_s),
                                                       static_cast<double>(kLeast), static_cast<double>(kMost)))) {}

double Band::gains_of(std::span<const Echo> echoes, std::span<float> gains) const {
  constexpr double kTurn = 2 * std::numbers::pi;
  std::array<double, kMost> in_phase{};
  std::array<double, kMost> quadrature{};
  const double step_hz = width_hz_ / static_cast<double>(frequencies_);
  const double lowest_hz = (step_hz - width_hz_) / 2;
  for (const Echo& echo : echoes) {
    const std::complex<double> step = std::polar(1.0, -kTurn * std::fmod(step_hz * echo.delay_s, 1.0));
    std::complex<double> wave = echo.gain * std::polar(1.0, -kTurn * std::fmod(lowest_hz * echo.delay_s, 1.0));
    for (std::size_t k = 0; k < frequencies_; ++k) {
      in_phase[k] += wave.real();
      quadrature[k] += wave.imag();
      wave = {wave.real() * step.real() - wave.imag() * step.imag(),
              wave.real() * step.imag() + wave.imag() * step.real()};
    }
  }
  double sum = 0;
  for (std::size_t k = 0; k < frequencies_; ++k) {
    in_phase[k] = in_phase[k] * in_phase[k] + quadrature[k] * quadrature[k];
    sum += in_phase[k];
  }
  const double mean = sum / static_cast<double>(frequencies_);
  for (std::size_t k = 0; k < frequencies_; ++k) {
    gains[k] = mean > 0 ? static_cast<float>(in_phase[k] / mean) : 1;
  }
  return mean;
}

}  // namespace hilgate
