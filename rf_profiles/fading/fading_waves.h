// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace hilgate {

/// Maps an exponential power (Rayleigh) to one of another law of the same probability, by table. Monotonic, so that the
/// order of levels, and with it the motion, stays.
class PowerMap {
 public:
  /// `quantile`: the law's power, mean 1, that is not exceeded with a probability.
  explicit PowerMap(const std::function<double(double probability)>& quantile);

  [[nodiscard]] double operator()(double power) const { return at(place_of(power)); }

  /// The same in two steps: many positions may be found at once, in vector code.
  static double place_of(double power) {
    const double root = std::sqrt(power);
    return (root < kHighest ? root : kHighest) / kHighest * kEntries;
  }
  [[nodiscard]] double at(double place) const {
    const auto whole = static_cast<std::int32_t>(place);
    const std::int32_t entry = whole < kEntries ? whole : kEntries - 1;
    const double here = table_[entry];
    return here + (place - entry) * (table_[entry + 1] - here);
  }

 private:
  static constexpr std::int32_t kEntries = 2048;
  static constexpr double kHighest = 5;  // amplitude; beyond with a probability of e^-25
  float table_[kEntries + 1];
};

/// The complex gain that a receiver meets along its way through isotropic scattering: Gaussian with mean power 1 and
/// the autocorrelation J0(2 pi distance / wavelength) (R. H. Clarke, 1968; W. C. Jakes, 1974).
///
/// One long periodic wave, made by shaping white Gaussian noise with Jakes' spectrum and one inverse Fourier
/// transform; users begin at positions of their own. A level depends on the distance moved and on nothing else, so it
/// does not matter how often it is asked for.
class ClarkeWave {
 public:
  explicit ClarkeWave(std::uint64_t seed);

  static constexpr double kPeriod = 4096;  // wavelengths

  /// Prefetches for at(): otherwise thousands of readers would each wait for memory.
  void expect(double wavelengths) const { __builtin_prefetch(&gain_[sample_at(wavelengths * kSamplesPerWavelength)]); }

  /// The maximum over all positions: norm of the gain.
  [[nodiscard]] double greatest_power() const;

  /// The same over each of the stretches of 1 / kStretches wavelengths, from position 0 on.
  [[nodiscard]] std::vector<double> greatest_powers() const;
  static constexpr std::uint64_t kStretches = 4;

  /// Gain at a position, in wavelengths, [0, 2^50); linear between samples a 32nd of a wavelength apart.
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
  std::vector<std::complex<float>> gain_;  // the first once more after the last
};

/// What a law of fading is made of: a steady wave and diffuse ones, of power 1 together, and a change of the power that
/// comes of them.
struct FadingWaves {
  double steady = 0;                  // power of the steady wave, which interferes with the first tap
  std::vector<double> taps = {1};     // powers of the diffuse taps; at least one
  std::vector<double> delays_s = {};  // of each tap; the steady wave has the first one's. Empty: all arrive at once
  std::shared_ptr<const PowerMap> map = {};  // null: none
};

}  // namespace hilgate
