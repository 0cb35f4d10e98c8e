// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "rf_profiles/numeric/decibel.h"

namespace hilgate {

/// Powers of concurrent transmissions add in linear units (radio-models 7.3, 8.3): what a signal is above the noise and
/// the interferers' sum, each interferer with a weight. 1 is the plain sum; 0.5 is what Shell and Mataric take after
/// D. Son, B. Krishnamachari and J. Heidemann (2005) for CC1000 radios.
inline double sinr_db(double signal_dbm, double noise_dbm, std::span<const double> interferers_dbm, double weight) {
  double disturbance = ratio_of_db(noise_dbm);
  for (const double interferer : interferers_dbm) {
    disturbance += weight * ratio_of_db(interferer);
  }
  return signal_dbm - db_of(disturbance);
}

}  // namespace hilgate
