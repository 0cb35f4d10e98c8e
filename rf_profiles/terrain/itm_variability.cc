// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/terrain/itm_path.h"

#include <cmath>
#include <cstddef>

#include "rf_profiles/terrain/terrain_profile.h"

namespace hilgate {
namespace {

/// A curve over the effective distance (TN101, III.69 and III.70); distances in km.
struct ClimateCurve {
  double c1, c2, x1, x2, x3;

  [[nodiscard]] double at(double distance_m) const {
    const double km = distance_m / 1000;
    const double off = (km - x2) / x3;
    const double far = km / x1 * (km / x1);
    return (c1 + c2 / (1 + off * off)) * far / (1 + far);
  }
};

/// How a spread in time depends on the frequency.
struct FrequencyFactor {
  double c1, c2, c3;

  [[nodiscard]] double at(double wave_number) const {
    const double q = c3 * std::log(0.133 * wave_number);
    return c1 + c2 / (q * q + 1);
  }
};

/// The figures of one climate (TN101, figures 10.13 and III.69 to III.71; ITM, 5.1).
struct ClimateFigures {
  ClimateCurve median;
  ClimateCurve worse;  // the spread in time of losses above the median, and of those below
  ClimateCurve better;
  FrequencyFactor worse_factor;
  FrequencyFactor better_factor;
  double rare_factor;  // C_D, of times rarer than z_D
  double rare_from;    // z_D
};

constexpr FrequencyFactor kAnyFrequency{1, 0, 0};

constexpr ClimateFigures kClimates[] = {
    {{-9.67, 12.7, 144.9, 190.3, 133.8},
     {2.13, 159.5, 762.2, 123.6, 94.5},
     {2.11, 102.3, 636.9, 134.8, 95.6},
     kAnyFrequency,
     kAnyFrequency,
     1.224,
     1.282},
    {{-0.62, 9.19, 228.9, 205.2, 143.6},
     {2.66, 7.67, 100.4, 172.5, 136.4},
     {6.87, 15.53, 138.7, 143.7, 98.6},
     kAnyFrequency,
     {0.93, 0.31, 2.00},
     0.801,
     2.161},
    {{1.26, 15.5, 262.6, 185.2, 99.8},
     {6.11, 6.65, 138.2, 242.2, 178.6},
     {10.08, 9.60, 165.3, 225.7, 129.7},
     kAnyFrequency,
     kAnyFrequency,
     1.380,
     1.282},
    {{-9.21, 9.05, 84.1, 101.1, 98.6},
     {1.98, 13.11, 139.1, 132.7, 193.5},
     {3.68, 159.3, 464.4, 93.1, 94.2},
     kAnyFrequency,
     {0.93, 0.19, 1.79},
     1.000,
     20.0},
    {{-0.62, 9.19, 228.9, 205.2, 143.6},
     {2.68, 7.16, 93.7, 186.8, 133.5},
     {4.75, 8.12, 93.2, 135.9, 113.4},
     {0.92, 0.25, 1.77},
     {0.93, 0.31, 2.00},
     1.224,
     1.282},
    {{-0.39, 2.86, 141.7, 315.9, 167.4},
     {6.86, 10.38, 187.8, 169.6, 108.9},
     {8.58, 13.97, 216.0, 152.0, 122.7},
     kAnyFrequency,
     kAnyFrequency,
     1.518,
     1.282},
    {{3.15, 857.9, 2222, 164.8, 116.3},
     {8.51, 169.8, 609.8, 119.9, 106.6},
     {8.43, 8.19, 136.2, 188.5, 122.9},
     kAnyFrequency,
     kAnyFrequency,
     1.518,
     1.282},
};

/// 130 km at the distance where diffraction and scatter lose the same over a smooth earth of 9000 km (ITM, eq. 5.3).
double effective_distance_m(const ItmPath& path) {
  constexpr double kStandardEarth = 9000e3;  // m
  constexpr double kStandard = 130e3;        // m
  const double own_m = smooth_horizon_m(path.ends[0].effective_m, kStandardEarth) +
                       smooth_horizon_m(path.ends[1].effective_m, kStandardEarth) +
                       std::cbrt(575.7e12 / path.wave_number());
  return path.distance_m < own_m ? kStandard * path.distance_m / own_m : kStandard + path.distance_m - own_m;
}

/// Standard deviation in time at the deviate `z` (ITM, 5.1).
double time_sigma_db(const ClimateFigures& climate, const ItmPath& path, double distance_m, double z) {
  if (z < 0) {
    return climate.worse.at(distance_m) * climate.worse_factor.at(path.wave_number());
  }
  const double sigma_db = climate.better.at(distance_m) * climate.better_factor.at(path.wave_number());
  const double rare_db = climate.rare_factor * sigma_db;
  return z <= climate.rare_from ? sigma_db : rare_db + (sigma_db - rare_db) * climate.rare_from / z;
}

/// Standard normal deviates of the three percentages.
struct Deviates {
  double time, location, situation;
};

Deviates deviates_of(const ItmLink& link) {
  Deviates z{exceeded_with(link.time / 100), exceeded_with(link.location / 100), exceeded_with(link.situation / 100)};
  switch (link.variability) {
    case ItmVariability::kSingleMessage:
      z.time = z.location = z.situation;
      break;
    case ItmVariability::kAccidental:
      z.location = z.situation;
      break;
    case ItmVariability::kMobile:
      z.location = z.time;
      break;
    case ItmVariability::kBroadcast:
      break;
  }
  return z;
}

/// What the loss is below its median by, with what is not of the situation, and with it.
struct Spread {
  double time_db = 0;  // standard deviations
  double location_db = 0;
  double situation_db = 0;
};

/// (ITM, eq. 5.4 to 5.11)
double gain_db(const ItmLink& link, const Deviates& z, const Spread& sigma) {
  const double time_db = sigma.time_db * z.time;
  const double location_db = sigma.location_db * z.location;
  const double z2 = z.situation * z.situation;
  const double of_situation =
      sigma.situation_db * sigma.situation_db + time_db * time_db / (7.8 + z2) + location_db * location_db / (24 + z2);
  const double time2 = sigma.time_db * sigma.time_db;
  const double location2 = sigma.location_db * sigma.location_db;
  switch (link.variability) {
    case ItmVariability::kSingleMessage:
      return std::sqrt(time2 + location2 + of_situation) * z.situation;
    case ItmVariability::kAccidental:
      return time_db + std::sqrt(location2 + of_situation) * z.situation;
    case ItmVariability::kMobile:
      return std::sqrt(time2 + location2) * z.time + std::sqrt(of_situation) * z.situation;
    default:
      return time_db + location_db + std::sqrt(of_situation) * z.situation;
  }
}

}  // namespace

double itm_exceeded_db(const ItmPath& path, const ItmLink& link, double reference_db) {
  const ClimateFigures& climate = kClimates[static_cast<std::size_t>(link.climate)];
  const Deviates z = deviates_of(link);
  const double distance_m = effective_distance_m(path);
  Spread sigma;
  sigma.time_db = time_sigma_db(climate, path, distance_m, z.time);
  if (link.location_varies) {
    const double rough = path.wave_number() * path.roughness_over_m(path.distance_m);
    sigma.location_db = 10 * rough / (rough + 13);  // eq. 5.9
  }
  if (link.situation_varies) {
    constexpr double kScale = 100e3;                              // m
    sigma.situation_db = 5 + 3 * std::exp(-distance_m / kScale);  // eq. 5.10
  }
  const double loss_db = reference_db - climate.median.at(distance_m) - gain_db(link, z, sigma);
  return loss_db < 0 ? loss_db * (29 - loss_db) / (29 - 10 * loss_db) : loss_db;  // never far below free space
}

}  // namespace hilgate
