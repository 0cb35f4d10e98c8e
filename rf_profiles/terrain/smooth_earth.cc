// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/terrain/smooth_earth.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace hilgate {
namespace {

/// What the ground is made of.
struct GroundKind {
  double permittivity;
  double conductivity;  // S/m
};

/// Gain of a normalised antenna height (P.1812, eq. 34, 35).
double height_gain_db(double b, double k) {
  const double gain_db =
      b > 2 ? 17.6 * std::sqrt(b - 1.1) - 5 * std::log10(b - 1.1) - 8 : 20 * std::log10(b + 0.1 * b * b * b);
  return std::max(gain_db, 2 + 20 * std::log10(k));
}

/// First term of the residue series (P.1812, eq. 29 to 36).
double first_term_db(const SmoothEarthPath& path, const GroundKind& ground, Polarization polarization) {
  const double loss_part = 18 * ground.conductivity / path.ghz;
  double k = 0.036 / std::cbrt(path.earth_km * path.ghz) / std::sqrt(std::hypot(ground.permittivity - 1, loss_part));
  if (polarization == Polarization::kVertical) {
    k *= std::hypot(ground.permittivity, loss_part);
  }
  const double k2 = k * k;
  const double beta = (1 + 1.6 * k2 + 0.67 * k2 * k2) / (1 + 4.5 * k2 + 1.53 * k2 * k2);
  const double x = 21.88 * beta * std::cbrt(path.ghz / (path.earth_km * path.earth_km)) * path.length_km;
  const double y_per_m = 0.9575 * beta * std::cbrt(path.ghz * path.ghz / path.earth_km);
  const double distance_db =
      x >= 1.6 ? 11 + 10 * std::log10(x) - 17.6 * x : -20 * std::log10(x) - 5.6488 * std::pow(x, 1.425);
  return -distance_db - height_gain_db(beta * y_per_m * path.tx_m, k) - height_gain_db(beta * y_per_m * path.rx_m, k);
}

/// Over land and sea by their shares (P.1812, eq. 28).
double first_term_db(const SmoothEarthPath& path, double sea_share, Polarization polarization) {
  constexpr GroundKind kLand{22, 0.003};
  constexpr GroundKind kSeaWater{80, 5};
  double loss_db = (1 - sea_share) * first_term_db(path, kLand, polarization);
  if (sea_share > 0) {
    loss_db += sea_share * first_term_db(path, kSeaWater, polarization);
  }
  return loss_db;
}

/// Least clearance of the ray above the earth, over that which diffraction does not notice (P.1812, eq. 23 to 25).
double clearance_share(const SmoothEarthPath& path) {
  const double d = path.length_km;
  const double heights_m = path.tx_m + path.rx_m;
  const double c = (path.tx_m - path.rx_m) / heights_m;
  const double m = 250 * d * d / (path.earth_km * heights_m);
  const double third = std::acos(1.5 * c * std::sqrt(3 * m / std::pow(m + 1, 3))) / 3;
  const double b = 2 * std::sqrt((m + 1) / (3 * m)) * std::cos(std::numbers::pi / 3 + third);
  const double d1 = d / 2 * (1 + b);
  const double d2 = d - d1;
  const double clear_m =
      ((path.tx_m - 500 * d1 * d1 / path.earth_km) * d2 + (path.rx_m - 500 * d2 * d2 / path.earth_km) * d1) / d;
  return clear_m / (17.456 * std::sqrt(d1 * d2 * 0.2998 / path.ghz / d));
}

}  // namespace

double smooth_earth_loss_db(const SmoothEarthPath& path, double sea_share, Polarization polarization) {
  const double roots = std::sqrt(path.tx_m) + std::sqrt(path.rx_m);
  const double sight_km = std::sqrt(2 * path.earth_km * 0.001) * roots;
  if (path.length_km >= sight_km) {
    return first_term_db(path, sea_share, polarization);
  }
  const double clear = clearance_share(path);
  if (clear > 1) {
    return 0;
  }
  SmoothEarthPath grazing = path;
  grazing.earth_km = 500 * (path.length_km / roots) * (path.length_km / roots);
  return (1 - clear) * std::max(0.0, first_term_db(grazing, sea_share, polarization));
}

}  // namespace hilgate
