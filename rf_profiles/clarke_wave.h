// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

namespace hilgate {

/// The complex gain that a receiver meets along its way through isotropic scattering: Gaussian with mean power 1 and
/// the autocorrelation J0(2 pi distance / wavelength) (R. H. Clarke, 1968; W. C. Jakes, 1974).
///
/// One long periodic wave, made by shaping white Gaussian noise with Jakes' spectrum and one inverse Fourier
/// transform; users begin at places of their own. A level depends on the distance moved and on nothing else, so it
/// does not matter how often it is asked for.
class ClarkeWave {
 public:
  explicit ClarkeWave(std::uint64_t seed);

  static constexpr double kPeriod = 4096;  // wavelengths

  /// Gain at a place, in wavelengths, >= 0; linear between samples a 32nd of a wavelength apart.
  [[nodiscard]] std::complex<float> at(double wavelengths) const {
    const double place = wavelengths * kSamplesPerWavelength;
    const auto sample = static_cast<std::uint64_t>(place);
    const auto part = static_cast<float>(place - static_cast<double>(sample));
    const std::complex<float> here = gain_[sample % kSamples];
    const std::complex<float> next = gain_[(sample + 1) % kSamples];
    return {here.real() + part * (next.real() - here.real()), here.imag() + part * (next.imag() - here.imag())};
  }

 private:
  static constexpr std::uint64_t kSamplesPerWavelength = 32;
  static constexpr std::uint64_t kSamples = 4096 * kSamplesPerWavelength;
  std::vector<std::complex<float>> gain_;
};

}  // namespace hilgate
