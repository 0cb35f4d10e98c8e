// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/propagation/diffraction.h"

#include <cmath>
#include <complex>
#include <numbers>

#include "rf_profiles/numeric/decibel.h"

namespace hilgate {
namespace {

using Complex = std::complex<double>;

/// C(x) + j S(x), the integral of exp(j pi t^2 / 2) from 0 to x, by its power series, good
/// to 1e-8 while |x| is a few units (M. Abramowitz, I. A. Stegun, 7.3.11 and 7.3.13).
Complex fresnel_series(double x) {
  const Complex step(0, std::numbers::pi / 2 * x * x);
  Complex power = x;
  Complex sum = 0;
  for (int n = 0; n < 200; ++n) {
    sum += power / (2.0 * n + 1);
    power *= step / (n + 1.0);
  }
  return sum;
}

/// The same for large x by the asymptotic series (7.3.27, 7.3.28), whose terms fall to 1e-8 and below there.
Complex fresnel_asymptotic(double x) {
  const Complex step = 1.0 / Complex(0, std::numbers::pi * x * x);
  Complex term = 1;
  Complex sum = 0;
  for (int n = 0; n < 19; ++n) {
    sum += term;
    term *= (2.0 * n + 1) * step;
  }
  return Complex(0.5, 0.5) +
         std::exp(Complex(0, std::numbers::pi / 2 * x * x)) * sum / Complex(0, std::numbers::pi * x);
}

Complex fresnel_integral(double x) {
  constexpr double kSeriesUpTo = 3.5;
  if (std::abs(x) <= kSeriesUpTo) {
    return fresnel_series(x);
  }
  return x > 0 ? fresnel_asymptotic(x) : -fresnel_asymptotic(-x);
}

}  // namespace

double edge_parameter(double height_m, double d1_m, double d2_m, Hertz frequency) {
  return height_m * std::sqrt(2 * frequency.value / kLightSpeed * (1 / d1_m + 1 / d2_m));
}

Decibels knife_edge_loss(double nu) {
  if (nu <= -0.78) {
    return {0};
  }
  const double above = nu - 0.1;
  return {6.9 + 20 * decades(std::sqrt(above * above + 1) + above)};
}

Decibels knife_edge_loss_exact(double nu) {
  const Complex integral = fresnel_integral(nu);
  const double in_phase = 1 - integral.real() - integral.imag();
  const double quadrature = integral.real() - integral.imag();
  return {-20 * decades(std::hypot(in_phase, quadrature) / 2)};
}

double grazing_reflection(double permittivity, double grazing_rad) {
  const double sine = std::sin(grazing_rad);
  const double cosine = std::cos(grazing_rad);
  const double root = std::sqrt(permittivity - cosine * cosine);
  return (sine - root) / (sine + root);
}

}  // namespace hilgate
