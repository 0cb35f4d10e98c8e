// SPDX-License-Identifier: Apache-2.0
// Ratios and levels: 10 log10, and the constants every link budget needs.
#pragma once

#include <cmath>

#include "config/units.h"
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
  Carrier(Hertz frequency)  // NOLINT: is a frequency
      : hz(frequency.value), decades_ghz(decades(frequency.value / 1e9)) {}
  [[nodiscard]] Hertz frequency() const { return {hz}; }
  double hz;  // a plain number, for vector code
  double decades_ghz;
};

// Plain numbers, for vector code and formulas; types elsewhere.
inline double db_of(double ratio) {
  return 10.0 * decades(ratio);
}
inline double ratio_of_db(double db) {
  return std::pow(10.0, db / 10.0);
}

inline Decibels decibels(double ratio) {
  return {db_of(ratio)};
}
inline double ratio(Decibels decibels) {
  return ratio_of_db(decibels.value);
}
inline double milliwatts(Dbm level) {
  return ratio_of_db(level.value);
}
inline Dbm level_of_milliwatts(double milliwatts) {
  return {db_of(milliwatts)};
}

/// Thermal noise in a bandwidth, seen by a receiver with a noise figure: 10 log10(k T B 1000) + NF.
inline Dbm noise_level(Hertz bandwidth, Decibels noise_figure) {
  return level_of_milliwatts(kBoltzmann * kNoiseTemperature * bandwidth.value * 1e3) + noise_figure;
}

}  // namespace hilgate
