// SPDX-License-Identifier: Apache-2.0
// Shape factors of multipath: how the power arriving from all around makes the level change with position
// (G. D. Durgin, T. S. Rappaport, "Theory of multipath shape factors for small-scale fading wireless channels", 2000),
// corrected: F_n has e^(+j n theta), and the variance is that of the spatial rate.
#pragma once

#include <complex>
#include <span>

namespace hilgate {

/// Power that arrives from one azimuth.
struct Ray {
  double power = 0;  // linear
  double azimuth_rad = 0;
};

/// Fourier coefficients F_n = integral of p(theta) e^(j n theta) of the angular distribution of power.
struct AngularMoments {
  double f0 = 0;
  std::complex<double> f1;
  std::complex<double> f2;
};
AngularMoments moments_of_rays(std::span<const Ray> rays);
AngularMoments moments_of_omni();
AngularMoments moments_of_sector(double width_rad, double centre_rad);
/// Two equal sectors, opposite one another.
AngularMoments moments_of_double_sector(double width_rad, double centre_rad);
/// From all around, and one wave; `k` linear.
AngularMoments moments_of_rice(double k, double azimuth_rad);

struct ShapeFactors {
  double spread = 0;        // Lambda, 0 (one direction) to 1
  double constriction = 0;  // gamma, 0 to 1 (two directions); 0 for a single wave
  double azimuth_rad = 0;   // Theta, of the fastest fading, modulo pi; 0 when no direction is distinguished
};
ShapeFactors shape_factors(const AngularMoments& moments);

/// W = Lambda^2 (1 + gamma cos 2 (heading - Theta)) for a receiver moving in `heading_rad`.
double fading_rate_factor(const ShapeFactors& shape, double heading_rad);
/// Variance of the spatial rate of the complex voltage, mean phase slope removed, in units of k^2 P: W / 2.
double rate_variance(const ShapeFactors& shape, double heading_rad);
/// Distance over which the envelope's autocovariance falls to a half, in wavelengths; infinite for W = 0.
double coherence_distance(const ShapeFactors& shape, double heading_rad);

}  // namespace hilgate
