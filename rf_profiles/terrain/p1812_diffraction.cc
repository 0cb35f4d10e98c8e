// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/terrain/p1812_diffraction.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "rf_profiles/propagation/diffraction.h"
#include "rf_profiles/terrain/smooth_earth.h"

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

}  // namespace

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

}  // namespace hilgate
