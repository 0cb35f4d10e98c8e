// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/terrain/itm_scatter.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace hilgate {
namespace {

constexpr double kMostGain = 15;  // dB of frequency gain, beyond which that of the farther distance counts

/// The attenuation function of the angular distance (ITM, 6.9; TN101, 9.1).
double angular_db(double arc_m) {
  struct Part {
    double a, b, c;
  };
  const Part part = arc_m <= 10e3   ? Part{133.4, 0.332e-3, -10}
                    : arc_m <= 70e3 ? Part{104.6, 0.212e-3, -2.5}
                                    : Part{71.8, 0.157e-3, 5};
  return part.a + part.b * arc_m + part.c * std::log10(arc_m);
}

/// The frequency gain of one end, for whole efficiencies 1 to 5 (ITM, 6.13).
double gain_curve_db(int efficiency, double r) {
  constexpr double kFourth[] = {25, 80, 177, 395, 705};
  constexpr double kSquare[] = {24, 45, 68, 80, 105};
  const double inverse = 1 / (r * r);
  return 10 * std::log10(1 + kFourth[efficiency - 1] * inverse * inverse + kSquare[efficiency - 1] * inverse);
}

double end_gain_db(double r, double efficiency) {
  constexpr double kMostEfficient = 5;
  const double within = std::clamp(efficiency, 1.0, kMostEfficient);
  const int below = static_cast<int>(within);
  const double part = within - below;
  return part == 0 ? gain_curve_db(below, r)
                   : (1 - part) * gain_curve_db(below, r) + part * gain_curve_db(below + 1, r);
}

/// (TN101, 9.3a; ITM, eq. 4.67)
double scatter_efficiency(double crossing_m, double refractivity) {
  constexpr double kScaleHeight = 1755.6;  // m
  const double layers = std::min(1.7, crossing_m / 8000);
  return crossing_m / kScaleHeight *
         (1 +
          (0.031 - 2.32e-3 * refractivity + 5.67e-6 * refractivity * refractivity) * std::exp(-std::pow(layers, 6)));
}

/// The loss of low antennas, TN101's frequency gain H0 (TN101, 9.2; ITM, eq. 4.64 to 4.67). Nothing where both are
/// too low.
std::optional<double> frequency_gain_db(const ItmPath& path, double distance_m) {
  const ItmEnd& tx = path.ends[0];
  const ItmEnd& rx = path.ends[1];
  const double uneven_m = std::abs(tx.horizon_m - rx.horizon_m);
  const double ratio = tx.horizon_m < rx.horizon_m ? tx.effective_m / rx.effective_m : rx.effective_m / tx.effective_m;
  const double angle_rad = tx.horizon_rad + rx.horizon_rad + distance_m / path.earth_m;
  const double r1 = 2 * path.wave_number() * angle_rad * tx.effective_m;
  const double r2 = 2 * path.wave_number() * angle_rad * rx.effective_m;
  constexpr double kTooLow = 0.2;
  if (r1 < kTooLow && r2 < kTooLow) {
    return std::nullopt;
  }
  const double asymmetry = (distance_m - uneven_m) / (distance_m + uneven_m);
  const double q = std::clamp(ratio / asymmetry, 0.1, 10.0);
  const double s = std::max(0.1, asymmetry);
  const double crossing_m = (distance_m - uneven_m) * (distance_m + uneven_m) * angle_rad / 4 / distance_m;
  const double efficiency = scatter_efficiency(crossing_m, path.refractivity);
  const double mean_db = (end_gain_db(r1, efficiency) + end_gain_db(r2, efficiency)) / 2;
  const double skew_db = 6 * (0.6 - std::log10(std::max(efficiency, 1.0))) * std::log10(s) * std::log10(q);
  const double gain_db = std::max(0.0, mean_db + std::min(mean_db, skew_db));
  if (efficiency >= 1) {
    return gain_db;
  }
  const double both = (1 + std::numbers::sqrt2 / r1) * (1 + std::numbers::sqrt2 / r2);
  const double none_db = 10 * std::log10(both * both * (r1 + r2) / (r1 + r2 + 2 * std::numbers::sqrt2));
  return efficiency * gain_db + (1 - efficiency) * none_db;
}

/// (ITM, eq. 4.63)
double scatter_db(const ItmPath& path, double distance_m, double gain_db) {
  constexpr double kDepth = 40e3;          // m, ITM 6.8
  constexpr double kScatterHeight = 47.7;  // m
  const double bend_rad = distance_m / path.earth_m - path.sight_rad();
  const double arc_m = bend_rad * distance_m;
  return angular_db(arc_m) + 10 * std::log10(path.wave_number() * kScatterHeight * std::pow(bend_rad, 4)) -
         0.1 * (path.refractivity - 301) * std::exp(-arc_m / kDepth) + gain_db;
}

}  // namespace

std::optional<LossLine> itm_scatter_line(const ItmPath& path) {
  constexpr double kNearBeyond = 200e3;  // m
  constexpr double kFarBeyond = 400e3;
  const double near_m = path.sight_m() + kNearBeyond;
  const double far_m = path.sight_m() + kFarBeyond;
  const std::optional<double> far_gain_db = frequency_gain_db(path, far_m);
  if (!far_gain_db) {
    return std::nullopt;
  }
  // ITM, page 12: a gain above kMostGain is that of the farther distance.
  const std::optional<double> near_gain_db = *far_gain_db > kMostGain ? far_gain_db : frequency_gain_db(path, near_m);
  if (!near_gain_db) {
    return std::nullopt;
  }
  const double near_db = scatter_db(path, near_m, *near_gain_db > kMostGain ? *far_gain_db : *near_gain_db);
  const double slope = (scatter_db(path, far_m, *far_gain_db) - near_db) / (kFarBeyond - kNearBeyond);
  return LossLine{slope, near_db - slope * near_m};
}

}  // namespace hilgate
