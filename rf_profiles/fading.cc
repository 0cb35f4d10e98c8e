// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/fading.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "rf_profiles/decibel.h"
#include "rf_profiles/fading_law.h"
#include "rf_profiles/random.h"
#include "rf_profiles/tdl_profile.h"

namespace hilgate {
namespace {

constexpr std::uint64_t kStreamSalt = 0x66'61'64'69'6E'67'00'00;  // "fading"
constexpr std::uint64_t kPlaces = 1ULL << 32;                     // draws apart from those of the wave
constexpr double kLeastPower = 1e-10;
constexpr double kTwoPi = 2 * std::numbers::pi;

/// Maps an exponential power (Rayleigh) to a Gamma one (Nakagami) of the same probability, by table. Monotonic, so
/// that the order of levels, and with it the motion, stays.
class NakagamiMap {
 public:
  explicit NakagamiMap(double m) {
    for (std::size_t i = 0; i <= kEntries; ++i) {
      table_[i] = static_cast<float>(inverse(m, rayleigh_cdf(power_of(i))));
    }
  }
  [[nodiscard]] double operator()(double power) const {
    const double root = std::min(std::sqrt(power), kHighest) / kHighest * kEntries;
    const auto at = std::min(static_cast<std::size_t>(root), kEntries - 1);
    return std::lerp(static_cast<double>(table_[at]), static_cast<double>(table_[at + 1]),
                     root - static_cast<double>(at));
  }

 private:
  static constexpr std::size_t kEntries = 2048;
  static constexpr double kHighest = 5;  // amplitude; beyond with a probability of e^-25
  static double power_of(std::size_t i) {
    const double amplitude = kHighest * static_cast<double>(i) / kEntries;
    return amplitude * amplitude;
  }
  static double inverse(double m, double probability) {
    double low = 0;
    double high = 200;
    for (int i = 0; i < 60; ++i) {
      const double middle = (low + high) / 2;
      (nakagami_cdf(m, middle) < probability ? low : high) = middle;
    }
    return low;
  }
  float table_[kEntries + 1];
};

}  // namespace

struct FadingField::Steps {
  explicit Steps(const FadingLaw& law) : type(law.type) {
    if (type == FadingLaw::Type::kRice) {
      steady = law.k / (1 + law.k);
      taps = {1 / (1 + law.k)};
    } else if (type == FadingLaw::Type::kTdl) {
      const TdlProfile& line = tdl_profile(law.tdl);
      taps = line.powers();
      if (line.line_of_sight) {
        steady = taps.front();
        taps.erase(taps.begin());
      }
    } else if (type == FadingLaw::Type::kNakagami) {
      nakagami = std::make_shared<const NakagamiMap>(law.m);
    }
  }
  FadingLaw::Type type;
  double steady = 0;               // power of the steady wave, which interferes with the first tap
  std::vector<double> taps = {1};  // powers of the diffuse taps
  std::shared_ptr<const NakagamiMap> nakagami;
};

FadingField::FadingField(const Fading& fading, double frequency_hz, std::size_t pairs, std::uint64_t seed)
    : fading_(fading), wavelength_m_(kLightSpeed / frequency_hz) {
  if (!fading.any()) {
    return;
  }
  wave_ = std::make_shared<const ClarkeWave>(seed ^ kStreamSalt);
  los_ = std::make_shared<const Steps>(fading.los);
  nlos_ = std::make_shared<const Steps>(fading.nlos);
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    FrameRandom random(seed ^ kStreamSalt, static_cast<std::uint32_t>(pair), kPlaces);
    const double start = random.uniform() * ClarkeWave::kPeriod;
    ways_.push_back({start, 0, std::cos(kTwoPi * random.uniform()), {}});
  }
}

double FadingField::update(std::size_t pair, double moved_m, double passed_s, bool line_of_sight) {
  if (ways_.empty()) {
    return 0;
  }
  Way& way = ways_[pair];
  way.moved += moved_m / wavelength_m_ + fading_.doppler_hz * passed_s;
  const Steps& law = line_of_sight ? *los_ : *nlos_;
  if (law.type == FadingLaw::Type::kNone) {
    return 0;
  }
  return db_of(std::max(power(law, way), kLeastPower));
}

double FadingField::power(const Steps& law, Way& way) const {
  // Taps read the wave far apart from one another, where it is uncorrelated.
  const double apart = ClarkeWave::kPeriod / static_cast<double>(law.taps.size());
  double place = way.start + way.moved;
  const std::complex<float> first = wave_->at(place, way.wave);
  double sum = law.taps.front() * std::norm(first);
  for (std::size_t tap = 1; tap < law.taps.size(); ++tap) {
    place += apart;
    sum += law.taps[tap] * std::norm(wave_->at(place));
  }
  if (law.steady > 0) {
    // The steady wave interferes with the first tap: |s + d|^2 = |s|^2 + |d|^2 + 2 Re(s* d). It comes from a direction
    // of the pair's own, so that its phase turns by the cosine of it per wavelength.
    const double turns = way.moved * way.direction + way.start;
    const double angle = kTwoPi * (turns - std::floor(turns));
    const std::complex<double> diffuse = first;
    const double along = std::cos(angle) * diffuse.real() + std::sin(angle) * diffuse.imag();
    sum += law.steady + 2 * std::sqrt(law.steady * law.taps.front()) * along;
  }
  return law.nakagami ? (*law.nakagami)(sum) : sum;
}

}  // namespace hilgate
