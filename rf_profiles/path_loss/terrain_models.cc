// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/path_loss/terrain_models.h"

#include <algorithm>

#include "config/range.h"
#include "rf_profiles/path_loss/distance_models.h"
#include "rf_profiles/terrain/smooth_earth.h"

namespace hilgate {
namespace {

constexpr double kNothingArrives = 300;  // dB, more than any receiver bears

Polarization read_polarization(YamlReader& loss) {
  return loss.choice<Polarization>("polarization",
                                   {{"vertical", Polarization::kVertical}, {"horizontal", Polarization::kHorizontal}},
                                   {Polarization::kVertical});
}

/// A share of all, as the models have it: in percent.
void read_percentage(YamlReader& loss, const char* key, double low, double high, double& percent) {
  constexpr double kPercent = 100;
  if (loss.has(key)) {
    percent = within<Probability>(loss, key, low / kPercent, high / kPercent).value * kPercent;
  }
}

void read_number(YamlReader& loss, const char* key, double low, double high, double& value) {
  if (loss.has(key)) {
    value = number_within(loss, key, low, high);
  }
}

TerrainProfile flat_ground(double length_m) {
  constexpr int kSteps = 10;
  return {.step_m = length_m / kSteps, .height_m = std::vector<double>(kSteps + 1, 0.0), .cover_m = {}, .zone = {}};
}

/// `loss_over` takes the profile; ends stand as the model knows them.
template <class Model, class LossOver>
double terrain_loss_db(const PairGeometry& pair, const Carrier& carrier, const LossOver& loss_over) {
  const double length_m = pair.terrain != nullptr ? pair.terrain->length_m() : pair.d2d_m;
  if (length_m < Model::kShortest) {
    return friis_loss_db(pair.d3d_m, carrier.hz);
  }
  if (length_m > Model::kLongest) {
    return kNothingArrives;
  }
  return pair.terrain != nullptr ? loss_over(*pair.terrain) : loss_over(flat_ground(pair.d2d_m));
}

TerrainLink ends_of(const TerrainLink& read, const PairGeometry& pair, const Carrier& carrier, double lowest_m) {
  constexpr double kHighest = 3000;  // m
  return {.tx_height_m = std::clamp(pair.high_m, lowest_m, kHighest),
          .rx_height_m = std::clamp(pair.low_m, lowest_m, kHighest),
          .frequency = carrier.frequency(),
          .polarization = read.polarization};
}

}  // namespace

void Itm::read(YamlReader& loss) {
  link.ends.polarization = read_polarization(loss);
  link.climate = loss.choice<ItmClimate>("climate",
                                         {{"equatorial", ItmClimate::kEquatorial},
                                          {"continental_subtropical", ItmClimate::kContinentalSubtropical},
                                          {"maritime_subtropical", ItmClimate::kMaritimeSubtropical},
                                          {"desert", ItmClimate::kDesert},
                                          {"continental_temperate", ItmClimate::kContinentalTemperate},
                                          {"maritime_temperate_land", ItmClimate::kMaritimeTemperateLand},
                                          {"maritime_temperate_sea", ItmClimate::kMaritimeTemperateSea}},
                                         {link.climate});
  read_number(loss, "refractivity", 250, 400, link.refractivity);
  read_number(loss, "permittivity", 1, 1000, link.permittivity);
  read_number(loss, "conductivity", 1e-9, 1000, link.conductivity);
  read_percentage(loss, "time", 0.01, 99.99, link.time);
  read_percentage(loss, "location", 0.01, 99.99, link.location);
  read_percentage(loss, "situation", 0.01, 99.99, link.situation);
}

double Itm::loss_db(const PairGeometry& pair, const Carrier& carrier) const {
  constexpr double kLowest = 0.5;  // m
  return terrain_loss_db<Itm>(pair, carrier, [&](const TerrainProfile& ground) {
    ItmLink path = link;
    path.ends = ends_of(link.ends, pair, carrier, kLowest);
    return itm_loss(path, ground).value;
  });
}

void ItuP1812::read(YamlReader& loss) {
  link.ends.polarization = read_polarization(loss);
  read_number(loss, "refractivity", 250, 450, link.refractivity);
  read_number(loss, "lapse_rate", 1, 150, link.lapse_rate);
  read_number(loss, "latitude", -90, 90, link.latitude_deg);
  read_percentage(loss, "time", 1, 50, link.time);
  read_percentage(loss, "location", 1, 99, link.location);
}

double ItuP1812::loss_db(const PairGeometry& pair, const Carrier& carrier) const {
  constexpr double kLowest = 1;  // m
  return terrain_loss_db<ItuP1812>(pair, carrier, [&](const TerrainProfile& ground) {
    P1812Link path = link;
    path.ends = ends_of(link.ends, pair, carrier, kLowest);
    return p1812_loss(path, ground).value;
  });
}

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
