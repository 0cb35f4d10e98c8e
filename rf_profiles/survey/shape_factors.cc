// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/survey/shape_factors.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace hilgate {
namespace {

using Complex = std::complex<double>;
constexpr double kNothing = 1e-12;  // relative; below it a direction or a spread is not distinguished

/// sin(x) / x.
double cardinal_sine(double x) {
  return x == 0 ? 1 : std::sin(x) / x;
}

}  // namespace

AngularMoments moments_of_rays(std::span<const Ray> rays) {
  AngularMoments moments;
  for (const Ray& ray : rays) {
    moments.f0 += ray.power;
    moments.f1 += std::polar(ray.power, ray.azimuth_rad);
    moments.f2 += std::polar(ray.power, 2 * ray.azimuth_rad);
  }
  return moments;
}

AngularMoments moments_of_omni() {
  return {1, 0, 0};
}

AngularMoments moments_of_sector(double width_rad, double centre_rad) {
  return {1, std::polar(1.0, centre_rad) * cardinal_sine(width_rad / 2),
          std::polar(1.0, 2 * centre_rad) * cardinal_sine(width_rad)};
}

AngularMoments moments_of_double_sector(double width_rad, double centre_rad) {
  return {1, 0, std::polar(1.0, 2 * centre_rad) * cardinal_sine(width_rad)};
}

AngularMoments moments_of_rice(double k, double azimuth_rad) {
  return {1 + k, std::polar(k, azimuth_rad), std::polar(k, 2 * azimuth_rad)};
}

ShapeFactors shape_factors(const AngularMoments& moments) {
  const double total = moments.f0 * moments.f0;
  const double spread = total - std::norm(moments.f1);
  if (!(spread > kNothing * total)) {
    return {};  // a single plane wave: gamma is 0/0 and defined as 0
  }
  const Complex axis = moments.f0 * moments.f2 - moments.f1 * moments.f1;
  const bool directed = std::abs(axis) > kNothing * total;
  return {std::sqrt(spread / total), directed ? std::abs(axis) / spread : 0, directed ? std::arg(axis) / 2 : 0};
}

double fading_rate_factor(const ShapeFactors& shape, double heading_rad) {
  const double directed = 1 + shape.constriction * std::cos(2 * (heading_rad - shape.azimuth_rad));
  return shape.spread * shape.spread * std::max(0.0, directed);
}

double rate_variance(const ShapeFactors& shape, double heading_rad) {
  return fading_rate_factor(shape, heading_rad) / 2;
}

double coherence_distance(const ShapeFactors& shape, double heading_rad) {
  constexpr double kEnvelope = 23;  // of the autocovariance e^(-23 W (d / lambda)^2)
  return std::sqrt(std::numbers::ln2 / kEnvelope) / std::sqrt(fading_rate_factor(shape, heading_rad));
}

}  // namespace hilgate
