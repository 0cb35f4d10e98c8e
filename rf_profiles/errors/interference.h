// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "rf_profiles/numeric/decibel.h"

namespace hilgate {

/// Powers of concurrent transmissions add in linear units: what a signal is above the noise and
/// the interferers' sum, each interferer with a weight. 1 is the plain sum; 0.5 is what Shell and Mataric take after
/// D. Son, B. Krishnamachari and J. Heidemann (2005) for CC1000 radios.
inline Decibels sinr(Dbm signal, Dbm noise, std::span<const Dbm> interferers, double weight) {
  double disturbance = milliwatts(noise);
  for (const Dbm interferer : interferers) {
    disturbance += weight * milliwatts(interferer);
  }
  return signal - level_of_milliwatts(disturbance);
}

}  // namespace hilgate
