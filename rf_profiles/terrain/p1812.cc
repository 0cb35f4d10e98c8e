// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/terrain/p1812.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "rf_profiles/propagation/diffraction.h"
#include "rf_profiles/terrain/p1812_path.h"
#include "rf_profiles/terrain/smooth_earth.h"
#include "rf_profiles/terrain/terrain_profile.h"

namespace hilgate {
namespace {

/// The Bullington part: all obstacles as one edge (eq. 13 to 21). `top_m` holds the heights without the bulge.
double bullington_db(const P1812Sight& sight, std::span<const double> distance_km, std::span<const double> top_m) {
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  double from_tx = kNone;  // steepest slopes, m/km
  double from_rx = kNone;
  double edge = kNone;
  for (std::size_t i = 1; i + 1 < distance_km.size(); ++i) {
    const double km = distance_km[i];
    const double bulged_m = top_m[i] + sight.bulge_m(km);
    from_tx = std::max(from_tx, (bulged_m - sight.tx_m) / km);
    from_rx = std::max(from_rx, (bulged_m - sight.rx_m) / (sight.length_km - km));
    edge = std::max(edge, sight.edge(km, bulged_m));
  }
  if (from_tx >= (sight.rx_m - sight.tx_m) / sight.length_km) {  // beyond the horizon: where both slopes meet
    const double km = (sight.rx_m - sight.tx_m + from_rx * sight.length_km) / (from_tx + from_rx);
    edge = sight.edge(km, sight.tx_m + from_tx * km);
  }
  const double edge_db = knife_edge_loss(edge).value;
  return edge_db + (1 - std::exp(-edge_db / 6)) * (10 + 0.02 * sight.length_km);
}

// Delta-Bullington diffraction over an earth of that effective radius, in dB above free space (P.1812, 4.3.1 to
// 4.3.4).
double p1812_diffraction_db(const P1812Path& path, double earth_km, Polarization polarization) {
  const double tx_m = path.tx.antenna_m - path.tx.smooth_m;  // eq. 37, 38
  const double rx_m = path.rx.antenna_m - path.rx.smooth_m;
  const P1812Sight actual{path.length_km, path.tx.antenna_m, path.rx.antenna_m, earth_km, path.ghz};
  const P1812Sight smooth{path.length_km, tx_m, rx_m, earth_km, path.ghz};
  const std::vector<double> flat(path.distance_km.size(), 0.0);
  const double smooth_db =
      smooth_earth_loss_db({path.ghz, path.length_km, earth_km, tx_m, rx_m}, path.sea_share, polarization);
  return bullington_db(actual, path.distance_km, path.covered_m) +
         std::max(0.0, smooth_db - bullington_db(smooth, path.distance_km, flat));  // eq. 39
}

constexpr std::string_view kP1812 = "P.1812";

void require_p1812(const P1812Link& link, const TerrainProfile& profile) {
  constexpr TerrainLimits kHeights{1, 3000, "m"};
  constexpr std::size_t kLeastHeights = 4;
  require_profile(kP1812, profile, kLeastHeights);
  require_within(kP1812, "frequency", link.ends.mhz(), {30, 6000, "MHz"});
  require_within(kP1812, "height of the transmitter", link.ends.tx_height_m, kHeights);
  require_within(kP1812, "height of the receiver", link.ends.rx_height_m, kHeights);
  require_within(kP1812, "percentage of time", link.time, {1, 50, "%"});
  require_within(kP1812, "percentage of locations", link.location, {1, 99, "%"});
  require_within(kP1812, "spread over locations", link.location_spread.value, {0, 20, "dB"});
  require_within(kP1812, "latitude", link.latitude_deg, {-90, 90, "degrees"});
  require_within(kP1812, "lapse rate", link.lapse_rate, {1, 150, "N-units/km"});
  require_within(kP1812, "refractivity", link.refractivity, {250, 450, "N-units"});
  require_within(kP1812, "length of the path", profile.length_m() / 1000, {0.25, 3000, "km"});
}

/// What hills near an end keep from a duct (eq. 48).
double shielding_db(const P1812End& end, double ghz) {
  const double above_mrad = end.horizon_mrad - 0.1 * end.horizon_km;
  return above_mrad > 0 ? 20 * std::log10(1 + 0.361 * above_mrad * std::sqrt(ghz * end.horizon_km)) +
                              0.264 * above_mrad * std::cbrt(ghz)
                        : 0;
}

/// What a duct over the sea gains at an end by the coast (eq. 49), negative.
double sea_coupling_db(const P1812End& end, double sea_share) {
  constexpr double kNearCoast = 5;  // km
  if (end.coast_km > kNearCoast || end.coast_km > end.horizon_km || sea_share < 0.75) {
    return 0;
  }
  return -3 * std::exp(-0.25 * end.coast_km * end.coast_km) * (1 + std::tanh(0.07 * (50 - end.antenna_m)));
}

/// Share of the time with ducts, percent, as this path's shape and roughness leave it (eq. 54 to 56).
double duct_percent(const P1812Path& path) {
  const double d = path.length_km;
  const double tau = 1 - std::exp(-4.12e-4 * std::pow(path.inland_km, 2.41));
  const double alpha = std::max(-3.4, -0.6 - 3.5e-9 * std::pow(d, 3.1) * tau);
  const double roots = std::sqrt(path.tx.duct_m) + std::sqrt(path.rx.duct_m);
  const double mu2 = std::min(1.0, std::pow(500 / path.earth_km * d * d / (roots * roots), alpha));
  const double between_km = std::min(d - path.tx.horizon_km - path.rx.horizon_km, 40.0);
  const double mu3 = path.roughness_m > 10 ? std::exp(-4.6e-5 * (path.roughness_m - 10) * (43 + 6 * between_km)) : 1;
  return path.anomalous_percent * mu2 * mu3;
}

/// Loss that ducts and layers do not exceed in that percentage of the time (4.5).
double duct_db(const P1812Path& path, double time) {
  const double f = path.ghz;
  const double d = path.length_km;
  const double low_db = f < 0.5 ? 45.375 - 137 * f + 92.5 * f * f : 0;  // eq. 47a
  const double fixed_db = 102.45 + 20 * std::log10(f) + 20 * std::log10(path.tx.horizon_km + path.rx.horizon_km) +
                          low_db + shielding_db(path.tx, f) + shielding_db(path.rx, f) +
                          sea_coupling_db(path.tx, path.sea_share) + sea_coupling_db(path.rx, path.sea_share);
  const auto bounded_mrad = [](const P1812End& end) { return std::min(end.horizon_mrad, 0.1 * end.horizon_km); };
  const double angle_mrad = 1000 * d / path.earth_km + bounded_mrad(path.tx) + bounded_mrad(path.rx);
  const double angular_db = 5e-5 * path.earth_km * std::cbrt(f) * angle_mrad;  // eq. 51, 52

  const double beta = duct_percent(path);
  const double decades = std::log10(beta);
  const double gamma = 1.076 / std::pow(2.0058 - decades, 1.012) *
                       std::exp(-(9.51 - 4.8 * decades + 0.198 * decades * decades) * 1e-6 * std::pow(d, 1.13));
  const double time_db =
      -12 + (1.2 + 3.7e-3 * d) * std::log10(time / beta) + 12 * std::pow(time / beta, gamma);  // eq. 53
  return fixed_db + angular_db + time_db;
}

/// (4.4)
double troposcatter_db(const P1812Path& path, const P1812Link& link) {
  const double octaves = std::log10(path.ghz / 2);
  const double frequency_db = 25 * std::log10(path.ghz) - 2.5 * octaves * octaves;
  return 190.1 + frequency_db + 20 * std::log10(path.length_km) + 0.573 * path.angle_mrad - 0.15 * link.refractivity -
         10.125 * std::pow(std::log10(50 / link.time), 0.7);
}

/// 1 far below `middle`, 0 far above it (eq. 57, 58).
double falling_share(double value, double middle, double steepness) {
  return 1 - 0.5 * (1 + std::tanh(3 * steepness * (value - middle) / middle));
}

/// In sight: free space, and what focusing and multipath gain in a percentage of the time (eq. 8 to 11).
double line_of_sight_db(const P1812Path& path, double time) {
  const double rise_km = (path.tx.antenna_m - path.rx.antenna_m) / 1000;
  const double free_db =
      92.4 + 20 * std::log10(path.ghz) + 10 * std::log10(path.length_km * path.length_km + rise_km * rise_km);
  return free_db + 2.6 * (1 - std::exp(-0.1 * (path.tx.horizon_km + path.rx.horizon_km))) * std::log10(time / 50);
}

/// All of it for half of the places (4.6): eq. numbers as there.
double loss_by_time_db(const P1812Path& path, const P1812Link& link) {
  constexpr double kHalf = 50;             // percent of the time
  constexpr double kDuctEarth = 6371 * 3;  // km, effective radius in times of ducts (eq. 7b)
  const double rare = path.anomalous_percent;
  // From half of the time, 0, to the times of ducts, 1 (eq. 40a).
  const double toward_rare = link.time > rare ? exceeded_with(link.time / 100) / exceeded_with(rare / 100) : 1;
  const double median_db = p1812_diffraction_db(path, path.earth_km, link.ends.polarization);
  const double rare_db = p1812_diffraction_db(path, kDuctEarth, link.ends.polarization);
  const double diffraction_db = median_db + toward_rare * (rare_db - median_db);  // eq. 41

  const double sight_db = line_of_sight_db(path, link.time);
  const double over_land_db = (1 - path.sea_share) * diffraction_db;
  double least_db = sight_db + over_land_db;
  if (link.time >= rare) {
    const double half_db = line_of_sight_db(path, kHalf) + median_db;
    least_db = half_db + (line_of_sight_db(path, rare) + over_land_db - half_db) * toward_rare;  // eq. 59
  }
  constexpr double kEta = 2.5;
  const double ducts_db = duct_db(path, link.time);
  const double enhanced_db =
      std::max(ducts_db, sight_db) + kEta * std::log1p(std::exp(-std::abs(ducts_db - sight_db) / kEta));  // eq. 60
  double mixed_db = sight_db + diffraction_db;
  if (enhanced_db <= mixed_db) {
    mixed_db = enhanced_db + (mixed_db - enhanced_db) * falling_share(path.length_km, 20, 0.5);  // eq. 61
  }
  mixed_db += (least_db - mixed_db) * falling_share(path.angle_mrad, 0.3, 0.8);                              // eq. 62
  return -5 * std::log10(std::pow(10, -0.2 * troposcatter_db(path, link)) + std::pow(10, -0.2 * mixed_db));  // eq. 63
}

}  // namespace

Decibels p1812_loss(const P1812Link& link, const TerrainProfile& profile) {
  require_p1812(link, profile);
  const P1812Path path = p1812_path(link, profile);
  const bool at_sea = !profile.zone.empty() && profile.zone.back() == TerrainZone::kSea;
  const double places_db = at_sea ? 0 : -exceeded_with(link.location / 100) * link.location_spread.value;
  return {std::max(line_of_sight_db(path, link.time), loss_by_time_db(path, link) + places_db)};  // eq. 69
}

}  // namespace hilgate
