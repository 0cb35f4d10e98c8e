// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/terrain/p1812_path.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace hilgate {
namespace {

/// The parts of a path in one zone or several: each place stands for half a step before and after it.
class ZoneParts {
 public:
  ZoneParts(const TerrainProfile& profile, const std::function<bool(TerrainZone)>& counts) {
    const std::size_t places = profile.height_m.size();
    const double half_km = profile.step_m / 2000;
    double part_km = 0;
    for (std::size_t i = 0; i < places; ++i) {
      const TerrainZone zone = profile.zone.empty() ? TerrainZone::kInland : profile.zone[i];
      if (!counts(zone)) {
        part_km = 0;
        continue;
      }
      const double own_km = i == 0 || i + 1 == places ? half_km : 2 * half_km;
      part_km += own_km;
      total_km_ += own_km;
      longest_km_ = std::max(longest_km_, part_km);
    }
  }
  [[nodiscard]] double total_km() const { return total_km_; }
  [[nodiscard]] double longest_km() const { return longest_km_; }

 private:
  double total_km_ = 0;
  double longest_km_ = 0;
};

/// Share of the time with ducts near the ground at the middle of the path, percent (eq. 2 to 5).
double anomalous_percent(double latitude_deg, double land_km, double inland_km) {
  const double tau = 1 - std::exp(-4.12e-4 * std::pow(inland_km, 2.41));
  const double mu1 = std::min(
      1.0, std::pow(std::pow(10, -land_km / (16 - 6.6 * tau)) + std::pow(10, -5 * (0.496 + 0.354 * tau)), 0.2));
  const double off_equator = std::abs(latitude_deg);
  constexpr double kPolar = 70;  // degrees
  if (off_equator > kPolar) {
    return 4.17 * mu1 * std::pow(mu1, 0.3);
  }
  return std::pow(10, -0.015 * off_equator + 1.67) * mu1 * std::pow(mu1, -0.935 + 0.0176 * off_equator);
}

/// From the first of the zones in that direction to the sea.
template <class Zones>
double coast_km(Zones first, Zones last, double step_km) {
  const auto sea = std::find(first, last, TerrainZone::kSea);
  return sea == last ? std::numeric_limits<double>::infinity() : step_km * static_cast<double>(sea - first);
}

void set_zones(P1812Path& path, const P1812Link& link, const TerrainProfile& profile) {
  const ZoneParts land(profile, [](TerrainZone zone) { return zone != TerrainZone::kSea; });
  const ZoneParts inland(profile, [](TerrainZone zone) { return zone == TerrainZone::kInland; });
  const ZoneParts sea(profile, [](TerrainZone zone) { return zone == TerrainZone::kSea; });
  path.inland_km = inland.longest_km();
  path.sea_share = sea.total_km() / path.length_km;
  path.anomalous_percent = anomalous_percent(link.latitude_deg, land.longest_km(), path.inland_km);
  path.tx.coast_km = coast_km(profile.zone.begin(), profile.zone.end(), profile.step_m / 1000);
  path.rx.coast_km = coast_km(profile.zone.rbegin(), profile.zone.rend(), profile.step_m / 1000);
}

/// Heights of the line that the ground has at the two ends.
struct SmoothEarth {
  double tx_m = 0;
  double rx_m = 0;
};

/// By least squares (eq. 85 to 88).
SmoothEarth smooth_earth(const P1812Path& path) {
  const std::vector<double>& d = path.distance_km;
  const std::vector<double>& h = path.ground_m;
  double v1 = 0;
  double v2 = 0;
  for (std::size_t i = 1; i < d.size(); ++i) {
    v1 += (d[i] - d[i - 1]) * (h[i] + h[i - 1]);
    v2 += (d[i] - d[i - 1]) * (h[i] * (2 * d[i] + d[i - 1]) + h[i - 1] * (d[i] + 2 * d[i - 1]));
  }
  const double square = path.length_km * path.length_km;
  return {(2 * v1 * path.length_km - v2) / square, (v2 - v1 * path.length_km) / square};
}

/// Lower by the obstacles that stand out of the line between the antennas (eq. 89 to 91).
void set_diffraction_heights(P1812Path& path, SmoothEarth smooth) {
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  double highest_m = kNone;
  double from_tx = kNone;
  double from_rx = kNone;
  for (std::size_t i = 1; i + 1 < path.distance_km.size(); ++i) {
    const double d = path.distance_km[i];
    const double rest = path.length_km - d;
    const double above_m = path.ground_m[i] - (path.tx.antenna_m * rest + path.rx.antenna_m * d) / path.length_km;
    highest_m = std::max(highest_m, above_m);
    from_tx = std::max(from_tx, above_m / d);
    from_rx = std::max(from_rx, above_m / rest);
  }
  if (highest_m > 0) {
    smooth.tx_m -= highest_m * from_tx / (from_tx + from_rx);
    smooth.rx_m -= highest_m * from_rx / (from_tx + from_rx);
  }
  path.tx.smooth_m = std::min(smooth.tx_m, path.ground_m.front());
  path.rx.smooth_m = std::min(smooth.rx_m, path.ground_m.back());
}

/// Elevation of a height seen from another one that far away.
double elevation_mrad(const P1812Path& path, double rise_m, double away_km) {
  return 1000 * std::atan(rise_m / (1000 * away_km) - away_km / (2 * path.earth_km));
}

/// Places of the horizons, as indices of the profile.
struct HorizonPlaces {
  std::size_t tx = 0;
  std::size_t rx = 0;
};

/// Where a function of the places between the ends is largest; the last one of equals if `last`.
template <class Function>
std::size_t place_of_largest(std::size_t places, bool last, const Function& value_at) {
  std::size_t best = 1;
  double largest = value_at(1);
  for (std::size_t i = 2; i + 1 < places; ++i) {
    const double value = value_at(i);
    if (value > largest || (last && value == largest)) {
      largest = value;
      best = i;
    }
  }
  return best;
}

/// (eq. 76 to 84)
HorizonPlaces set_horizons(P1812Path& path) {
  const std::vector<double>& d = path.distance_km;
  const std::vector<double>& h = path.ground_m;
  const auto seen_by_tx = [&](std::size_t i) { return elevation_mrad(path, h[i] - path.tx.antenna_m, d[i]); };
  const auto seen_by_rx = [&](std::size_t i) {
    return elevation_mrad(path, h[i] - path.rx.antenna_m, path.length_km - d[i]);
  };
  const double rise_m = path.rx.antenna_m - path.tx.antenna_m;
  path.tx.horizon_mrad = elevation_mrad(path, rise_m, path.length_km);
  path.rx.horizon_mrad = elevation_mrad(path, -rise_m, path.length_km);
  HorizonPlaces at{place_of_largest(d.size(), false, seen_by_tx), 0};
  if (seen_by_tx(at.tx) > path.tx.horizon_mrad) {
    at.rx = place_of_largest(d.size(), true, seen_by_rx);
    path.tx.horizon_mrad = seen_by_tx(at.tx);
    path.rx.horizon_mrad = seen_by_rx(at.rx);
  } else {
    const P1812Sight sight{path.length_km, path.tx.antenna_m, path.rx.antenna_m, path.earth_km, path.ghz};
    at.tx = at.rx =
        place_of_largest(d.size(), true, [&](std::size_t i) { return sight.edge(d[i], h[i] + sight.bulge_m(d[i])); });
  }
  path.tx.horizon_km = d[at.tx];
  path.rx.horizon_km = path.length_km - d[at.rx];
  path.angle_mrad = 1000 * path.length_km / path.earth_km + path.tx.horizon_mrad + path.rx.horizon_mrad;
  return at;
}

/// What ducts and layers take: antennas above the smooth earth, and the terrain between the horizons (eq. 92 to 95).
void set_duct_heights(P1812Path& path, SmoothEarth smooth, const HorizonPlaces& horizons) {
  smooth.tx_m = std::min(smooth.tx_m, path.ground_m.front());
  smooth.rx_m = std::min(smooth.rx_m, path.ground_m.back());
  const double slope = (smooth.rx_m - smooth.tx_m) / path.length_km;
  path.tx.duct_m = path.tx.antenna_m - smooth.tx_m;
  path.rx.duct_m = path.rx.antenna_m - smooth.rx_m;
  path.roughness_m = -std::numeric_limits<double>::infinity();
  for (std::size_t i = horizons.tx; i <= horizons.rx; ++i) {
    path.roughness_m = std::max(path.roughness_m, path.ground_m[i] - smooth.tx_m - slope * path.distance_km[i]);
  }
}

}  // namespace

double P1812Sight::bulge_m(double km) const {
  return 500 / earth_km * km * (length_km - km);
}

double P1812Sight::edge(double km, double top_m) const {
  const double wavelength_m = 0.2998 / ghz;
  const double rest_km = length_km - km;
  return (top_m - (tx_m * rest_km + rx_m * km) / length_km) *
         std::sqrt(0.002 * length_km / (wavelength_m * km * rest_km));
}

P1812Path p1812_path(const P1812Link& link, const TerrainProfile& profile) {
  P1812Path path;
  path.ghz = link.ends.ghz();
  path.length_km = profile.length_m() / 1000;
  path.earth_km = 6371 * 157 / (157 - link.lapse_rate);  // eq. 6, 7a
  path.ground_m = profile.height_m;
  path.covered_m = profile.height_m;
  path.distance_km.reserve(profile.height_m.size());
  for (std::size_t i = 0; i < profile.height_m.size(); ++i) {
    path.distance_km.push_back(static_cast<double>(i) * profile.step_m / 1000);
    if (i > 0 && i + 1 < profile.height_m.size() && !profile.cover_m.empty()) {
      path.covered_m[i] += profile.cover_m[i];
    }
  }
  path.tx.antenna_m = profile.height_m.front() + link.ends.tx_height_m;
  path.rx.antenna_m = profile.height_m.back() + link.ends.rx_height_m;
  set_zones(path, link, profile);
  const SmoothEarth smooth = smooth_earth(path);
  set_diffraction_heights(path, smooth);
  const HorizonPlaces horizons = set_horizons(path);
  set_duct_heights(path, smooth, horizons);
  return path;
}

}  // namespace hilgate
