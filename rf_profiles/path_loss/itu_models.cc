// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/path_loss/itu_models.h"

#include <cmath>
#include <numbers>

#include "config/range.h"

namespace hilgate {
namespace {

double floor_loss_db(P1238Building building, unsigned floors) {
  if (floors == 0) {
    return 0;
  }
  switch (building) {
    case P1238Building::kOffice:
      return 15 + 4 * (floors - 1.0);
    case P1238Building::kCommercial:
      return 6 + 3 * (floors - 1.0);
    default:
      return 4.0 * floors;
  }
}

}  // namespace

Decibels itu_p1238_loss(P1238Building building, double d_m, unsigned floors, Hertz frequency) {
  const double slope = building == P1238Building::kResidential ? 28 : building == P1238Building::kOffice ? 30 : 22;
  return {20 * decades(frequency.value / 1e6) + slope * decades(d_m) + floor_loss_db(building, floors) - 28};
}

void ItuP1238::read(YamlReader& loss) {
  building = loss.choice<P1238Building>("building", {{"residential", P1238Building::kResidential},
                                                     {"office", P1238Building::kOffice},
                                                     {"commercial", P1238Building::kCommercial}});
  storey_m = within<Metres>(loss, "storey", 1, 100).value;
}

Decibels itu_p1411_los_loss(double d3d_m, double height1_m, double height2_m, Hertz frequency) {
  const double wavelength = kLightSpeed / frequency.value;
  const double heights = height1_m * height2_m;
  const double at_breakpoint = std::abs(20 * decades(wavelength * wavelength / (8 * std::numbers::pi * heights)));
  const double beyond = decades(d3d_m * wavelength / (4 * heights));  // beyond the breakpoint 4 h h / lambda
  const double lower = at_breakpoint + (beyond <= 0 ? 20 : 40) * beyond;
  const double upper = at_breakpoint + 20 + (beyond <= 0 ? 25 : 40) * beyond;
  return {(lower + upper) / 2};
}

}  // namespace hilgate
