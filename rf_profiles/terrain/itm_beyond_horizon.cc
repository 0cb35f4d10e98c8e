// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/terrain/itm_beyond_horizon.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

namespace hilgate {
namespace {

/// An edge of Fresnel-Kirchhoff parameter nu >= 0, given its square (TN101, III.24b and c; LR, eq. 3.27).
double itm_edge_db(double nu_squared) {
  constexpr double kFarBelow = 5.76;
  return nu_squared < kFarBelow ? 6.02 + 9.11 * std::sqrt(nu_squared) - 1.27 * nu_squared
                                : 12.953 + 10 * std::log10(nu_squared);
}

/// Edges at both horizons (TN101, I.1 and I.7).
double two_edges_db(const ItmPath& path, double distance_m) {
  const double bend_rad = distance_m / path.earth_m - path.sight_rad();  // ITM, eq. 4.12
  const double beyond_m = distance_m - path.sight_m();
  double loss_db = 0;
  for (const ItmEnd& end : path.ends) {
    loss_db += itm_edge_db(path.wave_number() / (4 * std::numbers::pi) * bend_rad * bend_rad * end.horizon_m *
                           beyond_m / (beyond_m + end.horizon_m));
  }
  return loss_db;
}

/// Height gain over a smooth earth (L. E. Vogler, 1964; ITM, 6.4). `k` is the ground's parameter.
double smooth_gain_db(double x, double k) {
  const double high_db = 17.372 * std::log(x) - 117;
  if (x >= 200) {
    const double far_db = 0.05751 * x - 4.343 * std::log(x);
    if (x >= 2000) {
      return far_db;
    }
    const double weight = 0.0134 * x * std::exp(-0.005 * x);
    return (1 - weight) * far_db + weight * high_db;
  }
  const double w = -std::log(k);
  if (k < 1e-5 || x * w * w * w > 5495) {
    return x > 1 ? high_db : -117;
  }
  return 2.5e-5 * x * x / k - 8.686 * w - 15;
}

/// One of the three arcs of a path over a smooth earth: of its own radius, in Vogler's units.
struct SmoothArc {
  double k = 0;
  double x = 0;
};

SmoothArc smooth_arc(const ItmPath& path, double radius_m, double arc_m) {
  constexpr double kEarthRadius = 6370e3;  // m
  const double c = std::cbrt(4.0 / 3.0 * kEarthRadius / radius_m);
  const double cube_root_mhz = std::cbrt(path.mhz);
  const double k = 0.017778 * c / cube_root_mhz / std::abs(path.impedance);
  return {k, (1.607 - k) * c * c * cube_root_mhz * arc_m / 1000};
}

/// (ITM, eq. 4.15 to 4.20)
double smooth_earth_db(const ItmPath& path, double distance_m) {
  const double bend_rad = distance_m / path.earth_m - path.sight_rad();
  const auto arc_of = [&path](const ItmEnd& end) {
    return smooth_arc(path, end.horizon_m * end.horizon_m / (2 * end.effective_m), end.horizon_m);
  };
  const SmoothArc tx = arc_of(path.ends[0]);
  const SmoothArc rx = arc_of(path.ends[1]);
  const double beyond_m = distance_m - path.sight_m();
  const double x = smooth_arc(path, beyond_m / bend_rad, beyond_m).x + tx.x + rx.x;
  return 0.05751 * x - 10 * std::log10(x) - smooth_gain_db(tx.x, tx.k) - smooth_gain_db(rx.x, rx.k) - 20;
}

/// RMS height of the terrain within a first Fresnel zone (LR, eq. 3.6a).
double uneven_m(double roughness_m) {
  return 0.78 * roughness_m * std::exp(-0.5 * std::pow(roughness_m, 0.25));
}

/// Trees and houses at the horizons (LR, eq. 3.38c).
double cover_db(const ItmPath& path) {
  const double sigma_m = uneven_m(path.roughness_over_m(path.smooth_sight_m()));
  return std::min(15.0, 5 * std::log10(1 + 1e-5 * path.ends[0].height_m * path.ends[1].height_m * path.mhz * sigma_m));
}

/// Share of the smooth earth (LR, eq. 3.23).
double smooth_share(const ItmPath& path, double distance_m) {
  double heights = path.ends[0].height_m * path.ends[1].height_m;
  const double gain = path.ends[0].effective_m * path.ends[1].effective_m - heights;
  heights += path.over_profile ? 10 : 0;  // LR, page 3-8: low antennas over terrain that is known
  const double rough = std::min(path.roughness_over_m(distance_m) * path.wave_number(), 6283.2);
  const double q =
      (std::sqrt(1 + gain / heights) + (path.sight_m() - path.sight_rad() * path.earth_m) / distance_m) * rough;
  return 25.1 / (25.1 + std::sqrt(q));
}

double diffraction_db(const ItmPath& path, double distance_m) {
  const double share = smooth_share(path, distance_m);
  return share * smooth_earth_db(path, distance_m) + (1 - share) * two_edges_db(path, distance_m) + cover_db(path);
}

/// The reflected wave's amplitude, not below what diffuse reflection leaves (ITM, eq. 4.47 and 4.48).
std::complex<double> rough_reflection(const ItmPath& path, double sine, double roughness_m) {
  const std::complex<double> flat = (sine - path.impedance) / (sine + path.impedance);
  const std::complex<double> rough =
      flat * std::exp(-std::min(10.0, path.wave_number() * uneven_m(roughness_m) * sine));
  const double power = std::norm(rough);
  return power < 0.25 || power < sine ? rough * std::sqrt(sine / power) : rough;
}

}  // namespace

LossLine itm_diffraction_line(const ItmPath& path) {
  const double scale_m = std::cbrt(path.earth_m * path.earth_m / path.mhz);
  const double near_m = std::max(path.smooth_sight_m(), path.sight_m() + 5 * scale_m);
  const double far_m = near_m + 10 * scale_m;
  const double near_db = diffraction_db(path, near_m);
  const double slope = (diffraction_db(path, far_m) - near_db) / (far_m - near_m);
  return {slope, near_db - slope * near_m};
}

double itm_two_ray_db(const ItmPath& path, double distance_m, const LossLine& diffraction) {
  const double heights_m = path.ends[0].effective_m + path.ends[1].effective_m;
  const double sine = heights_m / std::hypot(distance_m, heights_m);
  const auto reflected = rough_reflection(path, sine, path.roughness_over_m(distance_m));
  double phase = path.wave_number() * 2 * path.ends[0].effective_m * path.ends[1].effective_m / distance_m;
  if (phase > std::numbers::pi / 2) {
    phase = std::numbers::pi - std::numbers::pi * std::numbers::pi / 4 / phase;
  }
  const double two_ray_db = -10 * std::log10(std::norm(std::polar(1.0, -phase) + reflected));
  const double share = 1 / (1 + path.mhz * path.roughness_m / std::max(10e3, path.smooth_sight_m()));
  return share * two_ray_db + (1 - share) * diffraction.at(distance_m);
}

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
