// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/path_loss/empirical_models.h"

#include <cmath>
#include <numbers>

#include "config/range.h"
#include "config/yaml_reader.h"

namespace hilgate {
namespace {

double hata_square(double x) {
  return x * x;
}

double hata_mobile_db(bool large_city, double mobile_m, double f_mhz) {
  if (!large_city) {
    return 0.8 + (1.1 * decades(f_mhz) - 0.7) * mobile_m - 1.56 * decades(f_mhz);
  }
  return f_mhz < 200 ? 8.29 * hata_square(decades(1.54 * mobile_m)) - 1.1
                     : 3.2 * hata_square(decades(11.75 * mobile_m)) - 4.97;
}

}  // namespace

Decibels okumura_hata_loss(HataArea area, bool large_city, double d3d_m, double base_m, double mobile_m,
                           Hertz frequency) {
  const double f = decades(frequency.value / 1e6);
  const double base = decades(base_m);
  const double urban = 69.55 + 26.16 * f - 13.82 * base - hata_mobile_db(large_city, mobile_m, frequency.value / 1e6) +
                       (44.9 - 6.55 * base) * decades(d3d_m / 1e3);
  switch (area) {
    case HataArea::kSuburban:
      return {urban - 2 * hata_square(decades(frequency.value / 28e6)) - 5.4};
    case HataArea::kOpen:
      return {urban - 4.70 * f * f + 18.33 * f - 40.94};
    default:
      return {urban};
  }
}

void OkumuraHata::read(YamlReader& loss) {
  area = loss.choice<HataArea>(
      "area", {{"urban", HataArea::kUrban}, {"suburban", HataArea::kSuburban}, {"open", HataArea::kOpen}});
  large_city = loss.optional<bool>("large_city", false);
}

Decibels cost231_loss(double d3d_m, double base_m, double mobile_m, Hertz frequency, double mobile_slope) {
  const double f = decades(frequency.value / 1e6);
  const double base = decades(base_m);
  const double mobile = (mobile_slope * f - 0.7) * mobile_m - (1.56 * f - 0.8);
  return {46.3 + 33.9 * f - 13.82 * base - mobile + (44.9 - 6.55 * base) * decades(d3d_m / 1e3)};
}

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
