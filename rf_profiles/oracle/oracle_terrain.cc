// SPDX-License-Identifier: Apache-2.0
// The models over terrain. The input `profile` names the file of the heights, from the folder of the table; all others
// have the defaults of ItmLink, ItmArea and P1812Link but for f_hz.
#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "config/nearest.h"
#include "rf_profiles/oracle/oracle.h"
#include "rf_profiles/terrain/itm.h"
#include "rf_profiles/terrain/p1812.h"

namespace hilgate {
namespace {

/// The inputs of one model over terrain, which has no other ones.
class TerrainInputs {
 public:
  TerrainInputs(const OracleInputs& in, std::vector<std::string> known) : in_(in) {
    for (const auto& [key, value] : in.all()) {
      if (std::find(known.begin(), known.end(), key) == known.end()) {
        throw std::runtime_error("the input '" + key + "' is unknown; " + hint_for(key, known));
      }
    }
  }

  void number(const std::string& key, double& value) const { value = in_.number(key, value); }

  template <class Choice>
  void choice(const std::string& key, Choice& value, const std::map<std::string, Choice>& choices) const {
    if (!in_.has(key)) {
      return;
    }
    const auto found = choices.find(in_.text(key));
    if (found == choices.end()) {
      std::string names;
      for (const auto& [name, ignored] : choices) {
        names += (names.empty() ? "" : ", ") + name;
      }
      throw std::runtime_error("the input '" + key + "' is '" + in_.text(key) + "'; allowed: " + names);
    }
    value = found->second;
  }

  void whole(const std::string& key, int& value) const {
    const double given = in_.number(key, value);
    if (given != std::floor(given) || std::abs(given) > 100) {
      throw std::runtime_error("the input '" + key + "' is " + in_.text(key) + "; it must be a whole number");
    }
    value = static_cast<int>(given);
  }

  void ends(TerrainLink& link) const {
    link.frequency = Hertz{in_.number("f_hz")};
    number("tx_m", link.tx_height_m);
    number("rx_m", link.rx_height_m);
    choice<Polarization>("polarization", link.polarization,
                         {{"horizontal", Polarization::kHorizontal}, {"vertical", Polarization::kVertical}});
  }

  [[nodiscard]] TerrainProfile profile() const { return read_terrain_profile(in_.file("profile")); }

 private:
  const OracleInputs& in_;
};

const std::vector<std::string> kItmKeys = {"tx_m",  "rx_m",  "f_hz",  "polarization", "climate",  "refractivity",
                                           "eps_r", "sigma", "mdvar", "time",         "location", "situation"};

std::vector<std::string> with(std::vector<std::string> keys, const std::vector<std::string>& more) {
  keys.insert(keys.end(), more.begin(), more.end());
  return keys;
}

/// The NTIA's numbers: climate 1 to 7; mdvar 0 to 3, 10 more without the spread of locations, 20 more without that of
/// situations.
ItmLink itm_link(const TerrainInputs& in) {
  constexpr int kLastClimate = 7;
  constexpr int kModes = 4;
  ItmLink link;
  in.ends(link.ends);
  in.number("refractivity", link.refractivity);
  in.number("eps_r", link.permittivity);
  in.number("sigma", link.conductivity);
  in.number("time", link.time);
  in.number("location", link.location);
  in.number("situation", link.situation);
  int climate = static_cast<int>(link.climate) + 1;
  in.whole("climate", climate);
  if (climate < 1 || climate > kLastClimate) {
    throw std::runtime_error("the input 'climate' is " + std::to_string(climate) + "; allowed: 1 to 7");
  }
  link.climate = static_cast<ItmClimate>(climate - 1);
  int mode = static_cast<int>(link.variability);
  in.whole("mdvar", mode);
  if (mode < 0 || mode > 33 || mode % 10 >= kModes) {
    throw std::runtime_error("the input 'mdvar' is " + std::to_string(mode) +
                             "; allowed: 0 to 3, and 10, 20 or 30 more");
  }
  link.variability = static_cast<ItmVariability>(mode % 10);
  link.location_varies = mode / 10 % 2 == 0;
  link.situation_varies = mode < 20;
  return link;
}

double itm_over_profile(const OracleInputs& inputs) {
  const TerrainInputs in(inputs, with(kItmKeys, {"profile"}));
  return itm_loss(itm_link(in), in.profile()).value;
}

double itm_over_area(const OracleInputs& inputs) {
  const TerrainInputs in(inputs, with(kItmKeys, {"d_m", "roughness_m", "tx_siting", "rx_siting"}));
  const std::map<std::string, ItmSiting> sitings = {
      {"random", ItmSiting::kRandom}, {"careful", ItmSiting::kCareful}, {"very_careful", ItmSiting::kVeryCareful}};
  ItmArea area;
  area.distance_m = inputs.number("d_m");
  in.number("roughness_m", area.roughness_m);
  in.choice("tx_siting", area.tx_siting, sitings);
  in.choice("rx_siting", area.rx_siting, sitings);
  return itm_area_loss(itm_link(in), area).value;
}

double p1812_over_profile(const OracleInputs& inputs) {
  const TerrainInputs in(inputs, {"profile", "tx_m", "rx_m", "f_hz", "polarization", "time", "location",
                                  "location_spread_db", "latitude_deg", "lapse_rate", "refractivity"});
  P1812Link link;
  in.ends(link.ends);
  in.number("time", link.time);
  in.number("location", link.location);
  in.number("location_spread_db", link.location_spread.value);
  in.number("latitude_deg", link.latitude_deg);
  in.number("lapse_rate", link.lapse_rate);
  in.number("refractivity", link.refractivity);
  return p1812_loss(link, in.profile()).value;
}

}  // namespace

void add_terrain_oracles(OracleTable& table) {
  table["itm/loss"] = itm_over_profile;
  table["itm/area_loss"] = itm_over_area;
  table["p1812/loss"] = p1812_over_profile;
}

}  // namespace hilgate
