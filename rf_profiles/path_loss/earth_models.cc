// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/path_loss/earth_models.h"

#include <algorithm>

#include "config/range.h"
#include "rf_profiles/terrain/smooth_earth.h"

namespace hilgate {

void ItuP526::read(YamlReader& loss) {
  over_sea = loss.choice<bool>("surface", {{"land", false}, {"sea", true}}, {false});
  polarization = loss.choice<Polarization>(
      "polarization", {{"vertical", Polarization::kVertical}, {"horizontal", Polarization::kHorizontal}},
      {Polarization::kVertical});
}

double ItuP526::loss_db(const PairGeometry& pair, const Carrier& carrier) const {
  constexpr double kEffectiveEarth = 8500;  // km, P.526, 3.1.1
  constexpr double kLeastDistance = 1;      // m
  const GroundLink link = above_ground(pair);
  const SmoothEarthPath path{.ghz = carrier.hz / 1e9,
                             .length_km = std::max(link.d2d_m, kLeastDistance) / 1000,
                             .earth_km = kEffectiveEarth,
                             .tx_m = link.tx_height_m,
                             .rx_m = link.rx_height_m};
  const double diffraction_db = smooth_earth_loss_db(path, over_sea ? 1 : 0, polarization);
  return friis_loss_db(pair.d3d_m, carrier.hz) + std::max(0.0, diffraction_db);
}

}  // namespace hilgate
