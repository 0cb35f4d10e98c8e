// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "rf_profiles/decibel.h"
#include "rf_profiles/material.h"
#include "rf_profiles/oracle_models.h"
#include "rf_profiles/path_loss.h"
#include "rf_profiles/shadowing.h"

namespace hilgate {
namespace {

using In = OracleInputs;

double radians(double degrees) {
  return degrees * std::numbers::pi / 180;
}

/// The distances and heights of a link between a base station and a terminal.
struct Ends {
  explicit Ends(const In& in)
      : high_m(in.number("h_bs_m")),
        low_m(in.number("h_ut_m")),
        d2d_m(in.number("d2d_m")),
        d3d_m(std::hypot(d2d_m, high_m - low_m)) {}
  double high_m, low_m, d2d_m, d3d_m;
};

bool line_of_sight(const In& in) {
  const std::string& condition = in.text("condition");
  if (condition != "LOS" && condition != "NLOS") {
    throw std::runtime_error("the input 'condition' is '" + condition + "'; LOS or NLOS");
  }
  return condition == "LOS";
}

double tgpp_umi(const In& in) {
  const Ends ends(in);
  const auto loss = line_of_sight(in) ? umi_los_loss_db : umi_nlos_loss_db;
  return loss(ends.d2d_m, ends.d3d_m, ends.high_m, ends.low_m, in.number("f_hz"));
}

SlabConstants slab(const In& in) {
  const auto material = builtin_material(in.text("material"));
  if (!material || !std::holds_alternative<SlabConstants>(material->loss)) {
    throw std::runtime_error("the input 'material' is '" + in.text("material") + "', which is no slab of P.2040");
  }
  return std::get<SlabConstants>(material->loss);
}

Polarisation polarisation(const In& in) {
  const std::string& pol = in.text("pol");
  if (pol != "TE" && pol != "TM") {
    throw std::runtime_error("the input 'pol' is '" + pol + "'; TE or TM");
  }
  return pol == "TE" ? Polarisation::kTE : Polarisation::kTM;
}

double through_slab(const In& in) {
  return slab_transmission_loss_db(slab(in), in.number("f_hz"), in.number("thickness_m"),
                                   radians(in.number("incidence_deg")), polarisation(in));
}

double off_slab(const In& in) {
  return slab_reflection_loss_db(slab(in), in.number("f_hz"), in.number("thickness_m"),
                                 radians(in.number("incidence_deg")), polarisation(in));
}

double off_surface(const In& in) {
  return halfspace_reflection_loss_db(slab(in), in.number("f_hz"), radians(in.number("incidence_deg")),
                                      polarisation(in));
}

}  // namespace

void add_propagation_oracles(OracleTable& table) {
  table["noise_floor/noise"] = [](const In& in) { return noise_dbm(in.number("bw_hz"), in.number("nf_db")); };
  table["friis/loss"] = [](const In& in) { return friis_loss_db(in.number("d_m"), in.number("f_hz")); };
  table["log_distance/loss"] = [](const In& in) {
    return LogDistance{in.number("n"), in.number("pl0_db"), in.number("d0_m")}.loss_db(in.number("d_m"));
  };
  table["tgpp_umi/loss"] = tgpp_umi;
  table["p2040_slab/eps_r"] = [](const In& in) { return slab(in).permittivity(in.number("f_hz")); };
  table["p2040_slab/sigma"] = [](const In& in) { return slab(in).conductivity(in.number("f_hz")); };
  table["p2040_slab/transmission_loss"] = through_slab;
  table["p2040_slab/reflection_loss"] = off_slab;
  table["p2040_slab/halfspace_reflection_loss"] = off_surface;
  table["shadowing_corr/r"] = [](const In& in) { return shadow_correlation(in.number("dx_m"), in.number("dcorr_m")); };
}

}  // namespace hilgate
