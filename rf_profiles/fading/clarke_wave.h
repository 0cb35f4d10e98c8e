// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstdint>
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

  /// Says that at() will be asked for a place soon: thousands of readers would each wait for memory.
  void expect(double wavelengths) const { __builtin_prefetch(&gain_[sample_at(wavelengths * kSamplesPerWavelength)]); }

  /// No place has more: norm of the gain.
  [[nodiscard]] double greatest_power() const;

  /// Gain at a place, in wavelengths, [0, 2^50); linear between samples a 32nd of a wavelength apart.
  [[nodiscard]] std::complex<float> at(double wavelengths) const {
    const double place = wavelengths * kSamplesPerWavelength;
    const auto part = static_cast<float>(place - static_cast<double>(static_cast<std::int64_t>(place)));
    const std::complex<float>* const here = &gain_[sample_at(place)];
    return {here[0].real() + part * (here[1].real() - here[0].real()),
            here[0].imag() + part * (here[1].imag() - here[0].imag())};
  }

 private:
  static std::size_t sample_at(double place) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(place)) % kSamples;
  }
  static constexpr std::uint64_t kSamplesPerWavelength = 32;
  static constexpr std::uint64_t kSamples = 4096 * kSamplesPerWavelength;
  std::vector<std::complex<float>> gain_;  // the first once more behind the last
};

}  // namespace hilgate
