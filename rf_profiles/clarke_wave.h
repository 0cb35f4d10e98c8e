// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
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

  /// A few samples that somebody who moves along the wave keeps at hand: the wave is far larger than the caches, so
  /// that thousands of readers would wait for memory at every step.
  struct Stretch {
    std::uint64_t first = std::uint64_t{1} << 63;  // sample; beyond all: none yet
    std::array<std::complex<float>, 9> gain{};
  };
  /// at(), read from a stretch that moves along as needed.
  [[nodiscard]] std::complex<float> at(double wavelengths, Stretch& stretch) const {
    const double place = wavelengths * kSamplesPerWavelength;
    const auto sample = static_cast<std::uint64_t>(place);
    if (sample - stretch.first >= stretch.gain.size() - 1) {
      for (std::size_t i = 0; i < stretch.gain.size(); ++i) {
        stretch.gain[i] = gain_[(sample + i) % kSamples];
      }
      stretch.first = sample;
    }
    const std::complex<float>* const here = &stretch.gain[sample - stretch.first];
    return between(here[0], here[1], static_cast<float>(place - static_cast<double>(sample)));
  }

  /// Gain at a place, in wavelengths, >= 0; linear between samples a 32nd of a wavelength apart.
  [[nodiscard]] std::complex<float> at(double wavelengths) const {
    const double place = wavelengths * kSamplesPerWavelength;
    const auto sample = static_cast<std::uint64_t>(place);
    const auto part = static_cast<float>(place - static_cast<double>(sample));
    return between(gain_[sample % kSamples], gain_[(sample + 1) % kSamples], part);
  }

 private:
  static std::complex<float> between(std::complex<float> here, std::complex<float> next, float part) {
    return {here.real() + part * (next.real() - here.real()), here.imag() + part * (next.imag() - here.imag())};
  }
  static constexpr std::uint64_t kSamplesPerWavelength = 32;
  static constexpr std::uint64_t kSamples = 4096 * kSamplesPerWavelength;
  std::vector<std::complex<float>> gain_;
};

}  // namespace hilgate
