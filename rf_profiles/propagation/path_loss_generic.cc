// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/propagation/path_loss_generic.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "rf_profiles/numeric/decibel.h"

namespace hilgate {
namespace {

using Complex = std::complex<double>;

}  // namespace

double ThreeLogDistance::loss_db(double d_m) const {
  if (d_m < begin_m[0]) {
    return 0;
  }
  double loss = reference_db;
  for (int i = 0; i < 3 && d_m >= begin_m[i]; ++i) {
    const double end_m = i < 2 ? std::min(d_m, begin_m[i + 1]) : d_m;
    loss += 10 * exponent[i] * decades(end_m / begin_m[i]);
  }
  return loss;
}

double two_ray_ground_loss_db(const GroundLink& link, double f_hz) {
  constexpr double kNoLossUpTo = 0.5;
  const double d_m = std::hypot(link.d2d_m, link.tx_height_m - link.rx_height_m);
  const double heights = link.tx_height_m * link.rx_height_m;
  if (d_m <= kNoLossUpTo) {
    return 0;
  }
  const double crossover_m = 4 * std::numbers::pi * heights * f_hz / kLightSpeed;
  return d_m <= crossover_m ? friis_loss_db(d_m, f_hz) : 40 * decades(d_m) - 20 * decades(heights);
}

double two_ray_exact_loss_db(const GroundLink& link, double f_hz, Complex reflection, double cap_db) {
  const double wavelength = kLightSpeed / f_hz;
  const double k = 2 * std::numbers::pi / wavelength;
  const double direct = std::hypot(link.d2d_m, link.tx_height_m - link.rx_height_m);
  const double bounced = std::hypot(link.d2d_m, link.tx_height_m + link.rx_height_m);
  const Complex sum = std::polar(1 / direct, -k * direct) + reflection * std::polar(1 / bounced, -k * bounced);
  const double amplitude = wavelength / (4 * std::numbers::pi) * std::abs(sum);
  return amplitude > 0 ? std::min(-20 * decades(amplitude), cap_db) : cap_db;
}

Complex ground_reflection(const GroundLink& link, Complex eta) {
  const double grazing = std::atan2(link.tx_height_m + link.rx_height_m, link.d2d_m);
  const double cosine = std::cos(grazing);
  const Complex root = std::sqrt(eta - cosine * cosine);
  const Complex upright = eta * std::sin(grazing);
  return (upright - root) / (upright + root);
}

}  // namespace hilgate
