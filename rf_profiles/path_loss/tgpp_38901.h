// SPDX-License-Identifier: Apache-2.0
// 3GPP TR 38.901, 0.5 to 100 GHz: path loss (table 7.4.1-1), line-of-sight probability (7.4.2), losses into buildings
// (7.4.3). dB as positive numbers. No limits on arguments are enforced.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "rf_profiles/numeric/decibel.h"

namespace hilgate {

/// The link between a base station and a terminal.
struct TgppLink {
  double d2d_m = 0;
  double d3d_m = 0;
  double base_m = 10;  // antenna heights above ground
  double terminal_m = 1.5;
  bool line_of_sight = true;
};

// Formulas are inline so that loops over many links become vector code; both sides of a choice are computed for that.

namespace tgpp {

inline constexpr double kLightSpeed = 3.0e8;     // note 1 of the table; c itself would differ by up to 0.006 dB
inline constexpr double kEnvironmentHeight = 1;  // m

inline double square(double x) {
  return x * x;
}

/// UMi and UMa have one shape in line of sight: a slope, and 40 dB per decade behind the breakpoint.
struct LosShape {
  double offset;
  double slope;
  double breakpoint_factor;
};
inline double los_loss_db(const LosShape& shape, const TgppLink& link, const Carrier& carrier) {
  const double base = shape.offset + 20 * carrier.decades_ghz;
  const double distance = decades(link.d3d_m);
  const double breakpoint_m =
      4 * (link.base_m - kEnvironmentHeight) * (link.terminal_m - kEnvironmentHeight) * carrier.hz / kLightSpeed;
  const double near = base + shape.slope * distance;
  const double far = base + 40 * distance -
                     shape.breakpoint_factor * decades(square(breakpoint_m) + square(link.base_m - link.terminal_m));
  return link.d2d_m <= breakpoint_m ? near : far;
}

/// The least that los_loss_db() gives for antennas up to a height, at any distance: the breakpoint is farthest with
/// both of them there.
inline double least_los_loss_db(const LosShape& shape, double d3d_m, double highest_m, const Carrier& carrier) {
  const double breakpoint_m = 4 * square(highest_m - kEnvironmentHeight) * carrier.hz / kLightSpeed;
  const double turn = square(breakpoint_m) + square(highest_m);
  const double base = shape.offset + 20 * carrier.decades_ghz;
  const double distance = decades(d3d_m);
  return square(d3d_m) <= turn ? base + shape.slope * distance
                               : base + 40 * distance - shape.breakpoint_factor * decades(turn);
}

/// least_los_loss_db() with both antennas there is no more than los_loss_db() with one at each: the turn is no nearer.
inline double equal_height_m(double high_m, double low_m, const Carrier& carrier) {
  constexpr double kLeastHeight = 1.5;  // m, as pairs are taken
  const double high = std::max(high_m, kLeastHeight) - kEnvironmentHeight;
  const double low = std::max(low_m, kLeastHeight) - kEnvironmentHeight;
  const double difference = (high - low) / (4 * carrier.hz / kLightSpeed);
  return kEnvironmentHeight + std::sqrt(std::sqrt(square(high * low) + square(difference)));
}

inline double nlos_or(double los_db, double nlos_db, bool line_of_sight) {
  const double most = nlos_db > los_db ? nlos_db : los_db;
  return line_of_sight ? los_db : most;
}

}  // namespace tgpp

inline constexpr tgpp::LosShape kUmiLos{32.4, 21, 9.5};
inline constexpr tgpp::LosShape kUmaLos{28.0, 22, 9};

inline double umi_loss_db(const TgppLink& link, const Carrier& carrier) {
  const double nlos = 22.4 + 35.3 * decades(link.d3d_m) + 21.3 * carrier.decades_ghz - 0.3 * (link.terminal_m - 1.5);
  return tgpp::nlos_or(tgpp::los_loss_db(kUmiLos, link, carrier), nlos, link.line_of_sight);
}

/// With an effective environment height of 1 m.
inline double uma_loss_db(const TgppLink& link, const Carrier& carrier) {
  const double nlos = 13.54 + 39.08 * decades(link.d3d_m) + 20 * carrier.decades_ghz - 0.6 * (link.terminal_m - 1.5);
  return tgpp::nlos_or(tgpp::los_loss_db(kUmaLos, link, carrier), nlos, link.line_of_sight);
}

inline double inh_loss_db(const TgppLink& link, const Carrier& carrier) {
  const double distance = decades(link.d3d_m);
  const double los = 32.4 + 17.3 * distance + 20 * carrier.decades_ghz;
  const double nlos = 17.3 + 38.3 * distance + 24.9 * carrier.decades_ghz;
  return tgpp::nlos_or(los, nlos, link.line_of_sight);
}

struct RuralSurroundings {
  double building_m = 5;
  double street_m = 20;
};
inline double rma_loss_db(const TgppLink& link, const RuralSurroundings& around, const Carrier& carrier) {
  const double h = around.building_m;
  const double power = std::pow(h, 1.72);
  const double slope = std::min(0.03 * power, 10.0);
  const double offset =
      20 * (decades(40 * std::numbers::pi / 3) + carrier.decades_ghz) - std::min(0.044 * power, 14.77);
  const double per_m = 0.002 * decades(h);
  const double breakpoint_m = 2 * std::numbers::pi * link.base_m * link.terminal_m * carrier.hz / tgpp::kLightSpeed;
  // Beyond the breakpoint 40 dB per decade on top of the loss there.
  const double distance = decades(link.d3d_m);
  const double turn = decades(breakpoint_m);
  const double near = offset + (20 + slope) * distance + per_m * link.d3d_m;
  const double far = offset + (20 + slope) * turn + per_m * breakpoint_m + 40 * (distance - turn);
  const double los = link.d2d_m <= breakpoint_m ? near : far;
  const double base = decades(link.base_m);
  const double nlos = 161.04 - 7.1 * decades(around.street_m) + 7.5 * decades(h) -
                      (24.37 - 3.7 * tgpp::square(h / link.base_m)) * base + (43.42 - 3.1 * base) * (distance - 3) +
                      20 * carrier.decades_ghz - (3.2 * tgpp::square(decades(11.75 * link.terminal_m)) - 4.97);
  return tgpp::nlos_or(los, nlos, link.line_of_sight);
}

/// Probability of line of sight at a horizontal distance.
double umi_los_probability(double d2d_m);
double uma_los_probability(double d2d_m, double terminal_m);
double rma_los_probability(double d2d_m);
double inh_mixed_los_probability(double d2d_m);
double inh_open_los_probability(double d2d_m);

/// Losses through outer walls.
Decibels glass_loss(Hertz frequency);
Decibels coated_glass_loss(Hertz frequency);
Decibels concrete_loss(Hertz frequency);
Decibels wood_loss(Hertz frequency);
Decibels into_low_loss_building(Hertz frequency);
Decibels into_high_loss_building(Hertz frequency);

}  // namespace hilgate
