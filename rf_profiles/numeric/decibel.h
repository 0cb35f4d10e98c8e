// SPDX-License-Identifier: Apache-2.0
// Ratios and levels: 10 log10, and the constants every link budget needs.
#pragma once

#include <cmath>

#include "rf_profiles/numeric/elementary.h"

namespace hilgate {

inline constexpr double kLightSpeed = 299'792'458.0;  // m/s, exact (SI)
inline constexpr double kBoltzmann = 1.380649e-23;    // J/K, exact (SI)
inline constexpr double kNoiseTemperature = 290.0;    // K, by which noise figures are defined (IEEE 161)

/// log10, as octaves().
inline double decades(double x) {
  constexpr double kDecadesPerOctave = 0.30102999566398119521;  // log10 2
  return kDecadesPerOctave * octaves(x);
}

/// A frequency with the logarithm that every path loss needs, so that many links at one frequency share it.
struct Carrier {
  Carrier(double frequency_hz)
      : hz(frequency_hz), decades_ghz(decades(frequency_hz / 1e9)) {}  // NOLINT: is a frequency
  double hz;
  double decades_ghz;
};

inline double db_of(double ratio) {
  return 10.0 * decades(ratio);
}
inline double ratio_of_db(double db) {
  return std::pow(10.0, db / 10.0);
}

/// Thermal noise in a bandwidth, seen by a receiver with a noise figure: 10 log10(k T B 1000) + NF, dBm.
inline double noise_dbm(double bandwidth_hz, double noise_figure_db) {
  return db_of(kBoltzmann * kNoiseTemperature * bandwidth_hz * 1e3) + noise_figure_db;
}

}  // namespace hilgate
