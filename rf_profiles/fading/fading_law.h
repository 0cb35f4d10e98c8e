// SPDX-License-Identifier: Apache-2.0
// Small-scale fading: distributions of power with mean 1, and how fast the level changes.
#pragma once

#include "config/units.h"

namespace hilgate {

/// Regularised lower incomplete gamma function P(a, x), a > 0, x >= 0.
double lower_gamma(double a, double x);

/// Probability that the power, relative to its mean, is below `power`.
double rayleigh_cdf(double power);
/// `k` linear: power of the steady wave over that of the diffuse ones; 0 is Rayleigh.
double rice_cdf(double k, double power);
/// Shape `m` >= 0.5; 1 is Rayleigh. The variance of the power is 1 / m.
double nakagami_cdf(double m, double power);

Hertz doppler_of_speed(double speed_mps, Hertz carrier);
/// Correlation of the complex gain over a lag, isotropic scattering: J0(2 pi fd lag).
double doppler_autocorrelation(Hertz doppler, double lag_s);
/// 0.423 / fd.
double coherence_time_s(Hertz doppler);
/// Where the autocorrelation first is 0. Windows longer than this see fading that looks white.
double first_zero_lag_s(Hertz doppler);

/// Rayleigh: crossings per second of a level relative to the rms amplitude, and the mean time below it.
double level_crossing_rate(Hertz doppler, double level);
double average_fade_s(Hertz doppler, double level);

}  // namespace hilgate
