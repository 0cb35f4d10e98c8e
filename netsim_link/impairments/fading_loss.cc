// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/impairments/fading_loss.h"

#include <algorithm>
#include <cmath>

#include "config/range.h"
#include "netsim_link/impairments/delay_distribution.h"
#include "rf_profiles/numeric/decibel.h"

namespace hilgate {

FadingLoss FadingLoss::rayleigh(Hertz doppler, Decibels threshold, double bad_loss) {
  const double rho = std::pow(10.0, threshold.value / 20);
  const double crossings = std::sqrt(2 * M_PI) * doppler.value * rho;  // per second, but for exp(-rho^2)
  return {.fades = {.good = std::max(delay_of(1e9 / crossings), Nanoseconds{1}),
                    .bad = delay_of(1e9 * std::expm1(rho * rho) / crossings)},
          .bad_loss = bad_loss};
}

void FadingLoss::read(YamlReader& loss) {
  constexpr Range<Hertz> kFrequency{{1e6}, {1e12}, "1 MHz to 1 THz"};
  constexpr Range<MetresPerSecond> kSpeed{{0.001}, {1000}, "0.001 m/s to 1000 m/s"};
  constexpr Range<Decibels> kThreshold{{-60}, {10}, "-60 dB to 10 dB, relative to the mean power"};
  const Hertz frequency = require_within(loss, "frequency", kFrequency).value_or(Hertz{1e9});
  const MetresPerSecond speed = require_within(loss, "speed", kSpeed).value_or(MetresPerSecond{1});
  const Decibels threshold = require_within(loss, "threshold", kThreshold).value_or(Decibels{-10});
  *this = rayleigh({speed.value * frequency.value / kLightSpeed}, threshold,
                   loss.optional<Probability>("bad", Probability{1}).value);
}

}  // namespace hilgate
