// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <stdexcept>
#include <string>
#include <string_view>

#include "config/model_table.h"
#include "rf_profiles/numeric/decibel.h"
#include "rf_profiles/oracle/oracle.h"
#include "rf_profiles/path_loss/empirical_models.h"
#include "rf_profiles/path_loss/path_loss.h"
#include "rf_profiles/propagation/diffraction.h"
#include "rf_profiles/propagation/material.h"
#include "rf_profiles/propagation/shadowing.h"

namespace hilgate {
namespace {

using In = OracleInputs;

double radians(double degrees) {
  return degrees * std::numbers::pi / 180;
}

Hertz frequency_of(const In& in) {
  return {in.number("f_hz")};
}

bool line_of_sight(const In& in) {
  const std::string& condition = in.text("condition");
  if (condition != "LOS" && condition != "NLOS") {
    throw std::runtime_error("the input 'condition' is '" + condition + "'; allowed: LOS, NLOS");
  }
  return condition == "LOS";
}

/// A link between a base station and a terminal; the sight is set by the caller.
TgppLink link_of(const In& in, bool in_sight) {
  const double base_m = in.number("h_bs_m");
  const double terminal_m = in.number("h_ut_m");
  const double d2d_m = in.number("d2d_m");
  return {d2d_m, std::hypot(d2d_m, base_m - terminal_m), base_m, terminal_m, in_sight};
}

GroundLink ground_of(const In& in) {
  return {in.number("d2d_m"), in.number("h_tx_m"), in.number("h_rx_m")};
}

double three_log_distance(const In& in) {
  const ThreeLogDistance law{{in.number("pl0_db")},
                             {in.number("d0_m"), in.number("d1_m"), in.number("d2_m")},
                             {in.number("n0"), in.number("n1"), in.number("n2")}};
  return law.loss_db(in.number("d_m"));
}

/// One of the named values, or an error that names the input.
template <class T>
T one_of(const In& in, const std::string& key, const std::map<std::string, T>& values) {
  const auto value = values.find(in.text(key));
  if (value == values.end()) {
    std::string names;
    for (const auto& [name, unused] : values) {
      names += (names.empty() ? "" : ", ") + name;
    }
    throw std::runtime_error("the input '" + key + "' is '" + in.text(key) + "'; " + names);
  }
  return value->second;
}

double itu_p1238(const In& in) {
  const auto building = one_of<P1238Building>(in, "building",
                                              {{"residential", P1238Building::kResidential},
                                               {"office", P1238Building::kOffice},
                                               {"commercial", P1238Building::kCommercial}});
  return itu_p1238_loss(building, in.number("d_m"), static_cast<unsigned>(in.number("floors")), frequency_of(in)).value;
}

double itu_p1411(const In& in) {
  const double h1 = in.number("h1_m");
  const double h2 = in.number("h2_m");
  return itu_p1411_los_loss(std::hypot(in.number("d2d_m"), h1 - h2), h1, h2, frequency_of(in)).value;
}

double okumura_hata(const In& in) {
  const auto area = one_of<HataArea>(
      in, "environment", {{"urban", HataArea::kUrban}, {"suburban", HataArea::kSuburban}, {"open", HataArea::kOpen}});
  const bool large = one_of<bool>(in, "city", {{"large", true}, {"small", false}, {"medium", false}});
  const TgppLink link = link_of(in, true);
  return okumura_hata_loss(area, large, link.d3d_m, link.base_m, link.terminal_m, frequency_of(in)).value;
}

double ns3_cost231(const In& in) {
  constexpr double kNs3MobileSlope = 1.11;
  return cost231_loss(in.number("d3d_m"), in.number("h_bs_m"), in.number("h_ut_m"), frequency_of(in), kNs3MobileSlope)
             .value +
         in.number("extra_db");
}

double los_probability(const In& in) {
  const double d = in.number("d2d_m");
  const auto& scenario =
      one_of<std::function<double()>>(in, "scenario",
                                      {{"UMi", [&] { return umi_los_probability(d); }},
                                       {"UMa", [&] { return uma_los_probability(d, in.number("h_ut_m")); }},
                                       {"RMa", [&] { return rma_los_probability(d); }},
                                       {"InH-mixed", [&] { return inh_mixed_los_probability(d); }},
                                       {"InH-open", [&] { return inh_open_los_probability(d); }}});
  return scenario();
}

double edge_nu(const In& in) {
  return in.has("nu") ? in.number("nu")
                      : edge_parameter(in.number("h_m"), in.number("d1_m"), in.number("d2_m"), frequency_of(in));
}

SlabConstants slab(const In& in) {
  const auto material = builtin_material(in.text("material"));
  if (!material || !std::holds_alternative<SlabConstants>(material->loss)) {
    throw std::runtime_error("the input 'material' is '" + in.text("material") + "', which P.2040 does not list");
  }
  return std::get<SlabConstants>(material->loss);
}

Polarisation polarisation(const In& in) {
  return one_of<Polarisation>(in, "pol", {{"TE", Polarisation::kTE}, {"TM", Polarisation::kTM}});
}

double through_slab(const In& in) {
  return slab_transmission_loss(slab(in), frequency_of(in), in.number("thickness_m"),
                                radians(in.number("incidence_deg")), polarisation(in))
      .value;
}

double off_slab(const In& in) {
  return slab_reflection_loss(slab(in), frequency_of(in), in.number("thickness_m"), radians(in.number("incidence_deg")),
                              polarisation(in))
      .value;
}

double off_surface(const In& in) {
  return halfspace_reflection_loss(slab(in), frequency_of(in), radians(in.number("incidence_deg")), polarisation(in))
      .value;
}

using TgppLoss = double (*)(const TgppLink&, const Carrier&);

void add_tgpp(OracleTable& table) {
  const std::map<std::string, TgppLoss> models{{"umi", umi_loss_db}, {"uma", uma_loss_db}, {"inh", inh_loss_db}};
  for (const auto& [name, loss] : models) {
    table["tgpp_" + name + "/loss"] = [loss = loss](const In& in) {
      return loss(link_of(in, line_of_sight(in)), frequency_of(in));
    };
  }
  table["tgpp_rma/loss"] = [](const In& in) {
    return rma_loss_db(link_of(in, line_of_sight(in)), {in.number("h_m"), in.number("w_m")}, frequency_of(in));
  };
  table["p_los_38901/p_los"] = los_probability;
  const std::map<std::string, Decibels (*)(Hertz)> walls{
      {"glass_loss", glass_loss}, {"irr_glass_loss", coated_glass_loss}, {"concrete_loss", concrete_loss},
      {"wood_loss", wood_loss},   {"pl_tw_low", into_low_loss_building}, {"pl_tw_high", into_high_loss_building}};
  for (const auto& [name, loss] : walls) {
    table["o2i_38901/" + name] = [loss = loss](const In& in) { return loss({in.number("fc_ghz") * 1e9}).value; };
  }
}

struct Aerial {
  TgppLoss loss;
  double (*p_los)(double, double);
  Decibels (*sigma)(double);
};

void add_aerial(OracleTable& table) {
  const std::map<std::string, Aerial> models{
      {"umi", {umi_aerial_loss_db, umi_aerial_los_probability, umi_aerial_sigma_los}},
      {"uma", {uma_aerial_loss_db, uma_aerial_los_probability, uma_aerial_sigma_los}},
      {"rma", {rma_aerial_loss_db, rma_aerial_los_probability, rma_aerial_sigma_los}}};
  for (const auto& [name, model] : models) {
    const std::string prefix = name + "_av_36777/";
    table[prefix + "loss_los"] = [model = model](const In& in) {
      return model.loss(link_of(in, true), Hertz{in.number("fc_ghz") * 1e9});
    };
    table[prefix + "loss_nlos"] = [model = model](const In& in) {
      return model.loss(link_of(in, false), Hertz{in.number("fc_ghz") * 1e9});
    };
    table[prefix + "p_los"] = [model = model](const In& in) {
      return model.p_los(in.number("d2d_m"), in.number("h_ut_m"));
    };
    table[prefix + "sigma_los"] = [model = model](const In& in) { return model.sigma(in.number("h_ut_m")).value; };
  }
}

void add_obstacles(OracleTable& table) {
  table["knife_edge/nu"] = edge_nu;
  table["knife_edge/loss_p526_approx"] = [](const In& in) { return knife_edge_loss(edge_nu(in)).value; };
  table["knife_edge/loss_fresnel_exact"] = [](const In& in) { return knife_edge_loss_exact(edge_nu(in)).value; };
  const auto gamma = [](const In& in) {
    return grazing_reflection(in.number("eps_r"), radians(in.number("grazing_deg")));
  };
  table["fresnel_grazing/gamma"] = gamma;
  table["fresnel_grazing/reflection_loss"] = [gamma](const In& in) { return -20 * std::log10(std::abs(gamma(in))); };
  table["p2040_slab/eps_r"] = [](const In& in) { return slab(in).permittivity(frequency_of(in)); };
  table["p2040_slab/sigma"] = [](const In& in) { return slab(in).conductivity(frequency_of(in)); };
  table["p2040_slab/transmission_loss"] = through_slab;
  table["p2040_slab/reflection_loss"] = off_slab;
  table["p2040_slab/halfspace_reflection_loss"] = off_surface;
}

}  // namespace

void add_propagation_oracles(OracleTable& table) {
  table["noise_floor/noise"] = [](const In& in) {
    return noise_level({in.number("bw_hz")}, {in.number("nf_db")}).value;
  };
  table["friis/loss"] = [](const In& in) { return friis_loss_db(in.number("d_m"), in.number("f_hz")); };
  table["log_distance/loss"] = [](const In& in) {
    return LogDistance{in.number("n"), {in.number("pl0_db")}, in.number("d0_m")}.loss_db(in.number("d_m"));
  };
  table["three_log_distance/loss"] = three_log_distance;
  table["two_ray_ground/loss"] = [](const In& in) {
    return two_ray_ground_loss(ground_of(in), frequency_of(in)).value;
  };
  table["two_ray_exact/loss"] = [](const In& in) {
    constexpr Decibels kNoCap{1e6};
    return two_ray_exact_loss(ground_of(in), frequency_of(in), in.number("gamma"), kNoCap).value;
  };
  table["itu_p1238/loss"] = itu_p1238;
  table["itu_p1411_los/loss"] = itu_p1411;
  table["kun_2600/loss"] = [](const In& in) {
    return kun_2600_loss(std::hypot(in.number("d2d_m"), in.number("h1_m") - in.number("h2_m"))).value;
  };
  table["okumura_hata/loss"] = okumura_hata;
  table["cost231/loss"] = ns3_cost231;
  table["shadowing_corr/r"] = [](const In& in) { return shadow_correlation(in.number("dx_m"), in.number("dcorr_m")); };
  add_tgpp(table);
  add_aerial(table);
  add_obstacles(table);
}

// Every path loss model of a profile, by its name there, for a pair as a gateway sees it: NAME/pair_loss. The inputs
// d2d_m, high_m, low_m (heights, 1.5 m where absent), condition (LOS where absent) and f_hz are the pair; all others
// are the model's keys as in a profile, with their units.
namespace {

constexpr std::array<std::string_view, 5> kPairInputs = {"d2d_m", "high_m", "low_m", "condition", "f_hz"};

PathLossModel model_with_keys(const std::string& name, const OracleInputs& in) {
  std::string text = "model: " + name + "\n";
  for (const auto& [key, value] : in.all()) {
    if (std::find(kPairInputs.begin(), kPairInputs.end(), key) == kPairInputs.end()) {
      text.append(key).append(": ").append(value).append("\n");
    }
  }
  YamlDocument document = YamlDocument::parse(text, "inputs");
  YamlReader root = document.root();
  auto model = read_model<PathLossModel>(root, "model");
  document.finish();
  return model;
}

double pair_loss(const std::string& name, const OracleInputs& in) {
  constexpr double kHeight = 1.5;  // m
  const double d2d_m = in.number("d2d_m");
  const double high_m = in.number("high_m", kHeight);
  const double low_m = in.number("low_m", kHeight);
  const bool in_sight = !in.has("condition") || in.text("condition") == "LOS";
  return path_loss(model_with_keys(name, in), {d2d_m, std::hypot(d2d_m, high_m - low_m), high_m, low_m, in_sight},
                   Hertz{in.number("f_hz")})
      .value;
}

}  // namespace

void add_path_loss_oracles(OracleTable& table) {
  for (const auto& [name, model] : models_by_name<PathLossModel>()) {
    table[name + "/pair_loss"] = [name = name](const OracleInputs& in) { return pair_loss(name, in); };
  }
}

}  // namespace hilgate
