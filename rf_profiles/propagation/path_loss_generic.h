// SPDX-License-Identifier: Apache-2.0
// Loss over distance that depends on no environment's statistics: free space, power laws, the ground's reflection.
// dB as positive numbers; formulas and limits as in radio-models 3.1.
#pragma once

#include <complex>
#include <numbers>

#include "rf_profiles/numeric/decibel.h"

namespace hilgate {

/// 20 log10(4 pi d f / c) (H. T. Friis, 1946); 0 for d <= 0.
inline double friis_loss_db(double d_m, double f_hz) {
  const double loss = 20 * decades(4 * std::numbers::pi * d_m * f_hz / kLightSpeed);
  return d_m > 0 ? loss : 0;
}

/// One exponent, from a reference distance on; the reference loss below it.
struct LogDistance {
  double exponent = 3;
  double reference_db = 46.6777;  // Friis at 1 m, 5.15 GHz
  double reference_m = 1;
  [[nodiscard]] double loss_db(double d_m) const {
    const double loss = reference_db + 10 * exponent * decades(d_m / reference_m);
    return d_m > reference_m ? loss : reference_db;
  }
};

/// Three exponents over three ranges; no loss below the first.
struct ThreeLogDistance {
  double reference_db = 46.6777;
  double begin_m[3] = {1, 200, 500};
  double exponent[3] = {1.9, 3.8, 3.8};
  [[nodiscard]] double loss_db(double d_m) const;
};

/// Two ends above flat ground; heights above ground, m.
struct GroundLink {
  double d2d_m = 0;
  double tx_height_m = 0;
  double rx_height_m = 0;
};

/// The form of ns-2 and ns-3: Friis up to the crossover 4 pi h h / lambda, 40 log10 d beyond; 0 up to 0.5 m. It knows
/// neither lobes nor nulls.
double two_ray_ground_loss_db(const GroundLink& link, double f_hz);

/// The sum of the direct and the reflected wave, with the reflection coefficient given. At most `cap_db`: in a null
/// the sum goes to 0.
double two_ray_exact_loss_db(const GroundLink& link, double f_hz, std::complex<double> reflection, double cap_db);

/// Reflection coefficient of ground with complex relative permittivity `eta`, antennas vertical.
std::complex<double> ground_reflection(const GroundLink& link, std::complex<double> eta);

}  // namespace hilgate
