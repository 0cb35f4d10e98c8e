// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/profile/profile_channel.h"

#include "rf_profiles/fading/tdl_profile.h"
#include "rf_profiles/numeric/decibel.h"
#include "rf_profiles/profile/profile_values.h"
#include "rf_profiles/propagation/material.h"

namespace hilgate {
namespace {

// Each model's own parameters, which stand beside `model`.
void read_parameters(YamlReader& loss, LogDistance& law) {
  law.exponent = number_within(loss, "exponent", 0, 10);
  law.reference_db = within<Decibels>(loss, "reference_loss", 0, 200);
  law.reference_m = within<Metres>(loss, "reference_distance", 0.001, 1e6);
}

void read_parameters(YamlReader& loss, MininetLogDistance& law) {
  law.exponent = number_within(loss, "exponent", 0, 10);
}

void read_parameters(YamlReader& loss, ThreeLogDistance& law) {
  law.reference_db = within<Decibels>(loss, "reference_loss", 0, 200);
  std::size_t ranges = 0;
  for (YamlReader& range : loss.items("ranges")) {
    if (ranges < std::size(law.begin_m)) {
      law.begin_m[ranges] = within<Metres>(range, "from", 0.001, 1e6);
      law.exponent[ranges] = number_within(range, "exponent", 0, 10);
    }
    ++ranges;
  }
  if (ranges != std::size(law.begin_m) || !(law.begin_m[0] < law.begin_m[1] && law.begin_m[1] < law.begin_m[2])) {
    loss.fault("needs 'ranges' with three entries {from, exponent} in increasing distance");
  }
}

void read_parameters(YamlReader& loss, Disc& disc) {
  disc.range_m = within<Metres>(loss, "range", 0.001, 1e7);
}

void read_parameters(YamlReader& loss, TwoRayExact& model) {
  const auto ground = loss.optional<std::string>("ground", "ideal");
  model.ideal_ground = ground == "ideal";
  if (model.ideal_ground) {
    return;
  }
  const auto material = builtin_material(ground);
  if (!material || !std::holds_alternative<SlabConstants>(material->loss)) {
    loss.fault(
        "ground",
        "'" + ground + "' is not a ground; allowed: ideal, very_dry_ground, medium_dry_ground, wet_ground, concrete");
    return;
  }
  model.ground = std::get<SlabConstants>(material->loss);
}

void read_parameters(YamlReader& loss, ItuP1238& model) {
  model.building = loss.choice<P1238Building>("building", {{"residential", P1238Building::kResidential},
                                                           {"office", P1238Building::kOffice},
                                                           {"commercial", P1238Building::kCommercial}});
  model.storey_m = within<Metres>(loss, "storey", 1, 100);
}

void read_parameters(YamlReader& loss, OkumuraHata& model) {
  model.area = loss.choice<HataArea>(
      "area", {{"urban", HataArea::kUrban}, {"suburban", HataArea::kSuburban}, {"open", HataArea::kOpen}});
  model.large_city = loss.optional<bool>("large_city", false);
}

void read_parameters(YamlReader& loss, TgppRma& model) {
  if (loss.has("building_height")) {
    model.around.building_m = within<Metres>(loss, "building_height", 5, 50);
  }
  if (loss.has("street_width")) {
    model.around.street_m = within<Metres>(loss, "street_width", 5, 50);
  }
}

template <class Plain>
void read_parameters(YamlReader&, Plain&) {}  // models without parameters

PathLossModel read_path_loss(YamlReader loss) {
  auto model = loss.choice<PathLossModel>("model", {{"friis", Friis{}},
                                                    {"log_distance", LogDistance{}},
                                                    {"three_log_distance", ThreeLogDistance{}},
                                                    {"disc", Disc{}},
                                                    {"two_ray_ground", TwoRayGround{}},
                                                    {"two_ray_exact", TwoRayExact{}},
                                                    {"itu_p1238", ItuP1238{}},
                                                    {"itu_p1411_los", ItuP1411{}},
                                                    {"okumura_hata", OkumuraHata{}},
                                                    {"cost231", Cost231{}},
                                                    {"tgpp_umi", TgppUmi{}},
                                                    {"tgpp_uma", TgppUma{}},
                                                    {"tgpp_rma", TgppRma{}},
                                                    {"tgpp_inh", TgppInh{}},
                                                    {"mininet_wifi", MininetLogDistance{}}});
  std::visit([&](auto& chosen) { read_parameters(loss, chosen); }, model);
  return model;
}

ShadowSpread read_spread(YamlReader& shadowing, std::string_view sight) {
  YamlReader spread = shadowing.child(sight);
  return {within<Decibels>(spread, "sigma", 0, 30), within<Metres>(spread, "correlation", 0.01, 1e6)};
}

FadingLaw read_law(YamlReader& fading, std::string_view sight) {
  YamlReader map = fading.child(sight);
  FadingLaw law;
  law.type = map.choice<FadingLaw::Type>("type", {{"none", FadingLaw::Type::kNone},
                                                  {"rayleigh", FadingLaw::Type::kRayleigh},
                                                  {"rice", FadingLaw::Type::kRice},
                                                  {"nakagami", FadingLaw::Type::kNakagami},
                                                  {"tdl", FadingLaw::Type::kTdl}});
  if (law.type == FadingLaw::Type::kRice) {
    law.k = ratio_of_db(within<Decibels>(map, "k", -40, 40));
  } else if (law.type == FadingLaw::Type::kNakagami) {
    law.m = number_within(map, "m", 0.5, 100);
  } else if (law.type == FadingLaw::Type::kTdl) {
    std::vector<std::pair<std::string, std::string>> lines;
    for (const TdlProfile& line : tdl_profiles()) {
      lines.emplace_back(line.name, line.name);
    }
    law.tdl = map.choice<std::string>("line", lines, {"TDL-A"});
  }
  return law;
}

}  // namespace

RadioChannel read_channel(YamlReader channel) {
  RadioChannel out;
  out.path_loss = read_path_loss(channel.child("path_loss"));
  out.draws_sight = channel.choice<bool>("sight", {{"scene", false}, {"drawn", true}}, {false});
  if (std::optional<YamlReader> shadowing = channel.optional_child("shadowing")) {
    out.shadowing = {read_spread(*shadowing, "los"), read_spread(*shadowing, "nlos")};
  }
  if (std::optional<YamlReader> fading = channel.optional_child("fading")) {
    out.fading = {read_law(*fading, "los"), read_law(*fading, "nlos"), 0};
    if (fading->has("doppler")) {
      out.fading.doppler_hz = within<Hertz>(*fading, "doppler", 0, 1e5);
    }
  }
  return out;
}

}  // namespace hilgate
