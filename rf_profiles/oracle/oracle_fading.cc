// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <stdexcept>

#include "rf_profiles/fading/fading_laws.h"
#include "rf_profiles/numeric/decibel.h"
#include "rf_profiles/oracle/oracle.h"
#include "rf_profiles/survey/grid_rays.h"

namespace hilgate {
namespace {

using In = OracleInputs;

double power_of(const In& in) {
  return ratio_of_db(in.number("power_db_rel_mean"));
}
double level_of(const In& in) {
  return std::sqrt(ratio_of_db(in.number("rho_db")));
}
Hertz doppler_of(const In& in) {
  return doppler_of_speed(in.number("v_mps"), {in.number("f_hz")});
}

AngularMoments moments_of(const In& in) {
  const std::string& dist = in.text("dist");
  if (dist == "omni") {
    return moments_of_omni();
  }
  if (dist == "sector") {
    return moments_of_sector(in.number("width_rad"), in.number("centre_rad"));
  }
  if (dist == "double_sector") {
    return moments_of_double_sector(in.number("width_rad"), in.number("centre_rad"));
  }
  if (dist == "rice") {
    return moments_of_rice(ratio_of_db(in.number("k_db")), in.number("los_rad"));
  }
  if (dist == "two_wave") {
    const double first = in.number("theta1_rad");
    const Ray rays[] = {{in.number("p1"), first}, {in.number("p2"), first + in.number("separation_rad")}};
    return moments_of_rays(rays);
  }
  throw std::runtime_error("the input 'dist' is '" + dist + "'; allowed: omni, sector, double_sector, rice, two_wave");
}

ShapeFactors shape_of(const In& in) {
  return shape_factors(moments_of(in));
}

void add_shape(OracleTable& table) {
  table["shape_factors/lambda"] = [](const In& in) { return shape_of(in).spread; };
  table["shape_factors/gamma"] = [](const In& in) { return shape_of(in).constriction; };
  table["shape_factors/theta_max"] = [](const In& in) { return shape_of(in).azimuth_rad; };
  table["shape_factors/rate_variance_over_k2P"] = [](const In& in) {
    return rate_variance(shape_of(in), in.number("beta_rad"));
  };
  table["shape_factors/coherence_distance_over_lambda"] = [](const In& in) {
    return coherence_distance(shape_of(in), in.number("beta_rad"));
  };
}

void add_nakagami(OracleTable& table) {
  const auto cdf = [](const In& in) { return nakagami_cdf(in.number("m"), power_of(in)); };
  const auto variance = [](const In& in) {
    const double mean = in.number("mean_power", 1);
    return mean * mean / in.number("m");
  };
  table["nakagami_cdf/cdf"] = cdf;
  table["nakagami_cdf/variance"] = variance;
  // The rows of ns-3's draws are met by the law they are drawn from.
  table["nakagami_mc/cdf"] = cdf;
  table["nakagami_mc/variance"] = variance;
  table["nakagami_mc/mean"] = [](const In&) { return 1.0; };  // by definition of the law
}

}  // namespace

void add_fading_oracles(OracleTable& table) {
  table["rayleigh_cdf/cdf"] = [](const In& in) { return rayleigh_cdf(power_of(in)); };
  table["rice_cdf/cdf"] = [](const In& in) { return rice_cdf(ratio_of_db(in.number("k_db")), power_of(in)); };
  table["doppler/fd"] = [](const In& in) { return doppler_of(in).value; };
  table["doppler/autocorrelation"] = [](const In& in) {
    return doppler_autocorrelation(doppler_of(in), in.number("lag_s"));
  };
  table["doppler/coherence_time_0423"] = [](const In& in) { return coherence_time_s(doppler_of(in)); };
  table["doppler/first_zero_lag"] = [](const In& in) { return first_zero_lag_s(doppler_of(in)); };
  table["bessel_j0/j0"] = [](const In& in) { return std::cyl_bessel_j(0.0, in.number("x")); };
  table["rayleigh_lcr_afd/lcr"] = [](const In& in) { return level_crossing_rate(doppler_of(in), level_of(in)); };
  table["rayleigh_lcr_afd/afd"] = [](const In& in) { return average_fade_s(doppler_of(in), level_of(in)); };
  table["tdl_38901/mean_delay_norm"] = [](const In& in) { return tdl_profile(in.text("profile")).mean_delay(); };
  table["tdl_38901/rms_delay_spread_norm"] = [](const In& in) {
    return tdl_profile(in.text("profile")).rms_delay_spread();
  };
  table["tdl_38901/k1"] = [](const In& in) { return tdl_profile(in.text("profile")).first_k().value; };
  add_nakagami(table);
  add_shape(table);
}

}  // namespace hilgate
