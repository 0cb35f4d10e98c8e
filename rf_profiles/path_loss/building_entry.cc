// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/path_loss/building_entry.h"

#include <cmath>
#include <cstddef>
#include <numbers>

#include "config/range.h"
#include "rf_profiles/terrain/terrain_profile.h"

namespace hilgate {

void TgppEntry::read(YamlReader& loss) {
  building = loss.choice<TgppBuilding>("building",
                                       {{"low_loss", TgppBuilding::kLowLoss}, {"high_loss", TgppBuilding::kHighLoss}});
  depth_m = within<Metres>(loss, "depth", 0, 100).value;
}

double TgppEntry::db(const Carrier& carrier) const {
  constexpr double kPerMetre = 0.5;  // dB
  const Decibels wall = building == TgppBuilding::kLowLoss ? into_low_loss_building(carrier.frequency())
                                                           : into_high_loss_building(carrier.frequency());
  return wall.value + kPerMetre * depth_m;
}

namespace {

/// A row of P.2109's table 1.
struct EntryFigures {
  double r, s, t, u, v, w, x, y, z;
};
constexpr EntryFigures kEntryFigures[] = {{12.64, 3.72, 0.96, 9.6, 2.0, 9.1, -3.0, 4.5, -2.0},
                                          {28.19, -3.00, 8.48, 13.5, 3.8, 27.8, -2.9, 9.4, -2.1}};

}  // namespace

double itu_p2109_loss_db(P2109Building building, double probability, double elevation_deg, const Carrier& carrier) {
  const EntryFigures& row = kEntryFigures[static_cast<std::size_t>(building)];
  const double f = carrier.decades_ghz;
  const double deviate = exceeded_with(1 - probability);
  const double median_db = row.r + row.s * f + row.t * f * f + 0.212 * std::abs(elevation_deg);
  const double wall_db = median_db + deviate * (row.u + row.v * f);
  const double inside_db = row.w + row.x * f + deviate * (row.y + row.z * f);
  constexpr double kLeastDb = -3;
  return db_of(ratio_of_db(wall_db) + ratio_of_db(inside_db) + ratio_of_db(kLeastDb));
}

void ItuP2109::read(YamlReader& loss) {
  building = loss.choice<P2109Building>("building", {{"traditional", P2109Building::kTraditional},
                                                     {"thermally_efficient", P2109Building::kThermallyEfficient}});
  if (loss.has("probability")) {
    probability = within<Probability>(loss, "probability", 0.0001, 0.9999).value;
  }
}

double ItuP2109::loss_db(const PairGeometry& pair, const Carrier& carrier) const {
  const double elevation_deg = std::atan2(pair.high_m - pair.low_m, pair.d2d_m) * 180 / std::numbers::pi;
  return friis_loss_db(pair.d3d_m, carrier.hz) + itu_p2109_loss_db(building, probability, elevation_deg, carrier);
}

}  // namespace hilgate
