// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>

#include "rf_profiles/numeric/decibel.h"
#include "rf_profiles/path_loss/distance_models.h"
#include "rf_profiles/path_loss/pair_geometry.h"

// 3GPP TR 38.901, 0.5 to 100 GHz: path loss (table 7.4.1-1), line-of-sight probability (7.4.2), losses into buildings
// (7.4.3). dB as positive numbers. No limits on arguments are enforced.

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

/// UMi and UMa have one shape in line of sight: a slope, and 40 dB per decade beyond the breakpoint.
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

/// Out of sight, where that is more than in sight.
inline double umi_nlos_db(const TgppLink& link, const Carrier& carrier) {
  return 22.4 + 35.3 * decades(link.d3d_m) + 21.3 * carrier.decades_ghz - 0.3 * (link.terminal_m - 1.5);
}
inline double umi_loss_db(const TgppLink& link, const Carrier& carrier) {
  return tgpp::nlos_or(tgpp::los_loss_db(kUmiLos, link, carrier), umi_nlos_db(link, carrier), link.line_of_sight);
}

/// Out of sight, where that is more than in sight.
inline double uma_nlos_db(const TgppLink& link, const Carrier& carrier) {
  return 13.54 + 39.08 * decades(link.d3d_m) + 20 * carrier.decades_ghz - 0.6 * (link.terminal_m - 1.5);
}
/// With an effective environment height of 1 m.
inline double uma_loss_db(const TgppLink& link, const Carrier& carrier) {
  return tgpp::nlos_or(tgpp::los_loss_db(kUmaLos, link, carrier), uma_nlos_db(link, carrier), link.line_of_sight);
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

// A pair of robots as 3GPP's reports see it: a base station and a terminal. The antenna with the role of a base station
// is TR 38.901's base station at any height; without roles it is the higher antenna. A terminal above some height is
// the aerial terminal of TR 36.777. Where no role marks the antenna on a mast, the higher one is a base station up to
// the height of the report's base stations, an aerial terminal from twice that height on, and the loss changes steadily
// in between.

namespace hilgate {

inline constexpr double kLeastTgppHeight = 1.5;  // m, of TR 38.901's terminals

inline TgppLink tgpp_on_ground(const PairGeometry& pair) {
  const bool lower = pair.base == PairBase::kLower;
  const double base_m = lower ? pair.low_m : pair.high_m;
  const double terminal_m = lower ? pair.high_m : pair.low_m;
  return {pair.d2d_m, pair.d3d_m, std::max(base_m, kLeastTgppHeight), std::max(terminal_m, kLeastTgppHeight),
          pair.line_of_sight};
}

/// The terminal is at least `least_m` high, where TR 36.777 begins.
inline TgppLink tgpp_in_the_air(const PairGeometry& pair, double least_m) {
  const bool higher = pair.base == PairBase::kHigher;
  const double base_m = higher ? pair.high_m : pair.low_m;
  const double terminal_m = higher ? pair.low_m : pair.high_m;
  return {pair.d2d_m, pair.d3d_m, std::max(base_m, kLeastTgppHeight), std::max(terminal_m, least_m),
          pair.line_of_sight};
}

/// Share of TR 36.777 in the loss of a pair, for an area whose aerial terminals begin at `aerial_m` and whose base
/// stations are `mast_m` high.
inline double tgpp_aerial_share(const PairGeometry& pair, double aerial_m, double mast_m) {
  const double terminal_m = pair.base == PairBase::kHigher ? pair.low_m : pair.high_m;
  const double by_role = terminal_m > aerial_m ? 1 : 0;
  const double above = (pair.high_m - mast_m) / mast_m;
  const double by_height = above > 0 ? (above < 1 ? above : 1) : 0;
  return pair.base == PairBase::kNone ? by_height : by_role;
}

inline double tgpp_between(double ground, double air, double aerial_share) {
  return ground + (air - ground) * aerial_share;
}

}  // namespace hilgate

// 3GPP TR 36.777 annex B: terminals in the air, where TR 38.901 ends. dB as positive numbers.
// Taken from several public ports that agree with one another, not from the text of the report.

namespace hilgate {

namespace tgpp {

/// 20 log10(40 pi f / 3), f in GHz: free space at 1 m as the reports write it.
inline double metre_db(const Carrier& carrier) {
  return 20 * (decades(40 * std::numbers::pi / 3) + carrier.decades_ghz);
}

}  // namespace tgpp

/// Terminals from 22.5 m (UMi, UMa) or 10 m (RMa) to 300 m above ground.
inline double umi_aerial_loss_db(const TgppLink& link, const Carrier& carrier) {
  const double d = decades(link.d3d_m);
  const double h = decades(link.terminal_m);
  const double f = 20 * carrier.decades_ghz;
  const double statistical = 30.9 + (22.25 - 0.5 * h) * d + f;
  const double free = friis_loss_db(link.d3d_m, carrier.hz);
  const double los = free > statistical ? free : statistical;
  return tgpp::nlos_or(los, 32.4 + (43.2 - 7.6 * h) * d + f, link.line_of_sight);
}

inline double uma_aerial_loss_db(const TgppLink& link, const Carrier& carrier) {
  const double d = decades(link.d3d_m);
  const double los = 28 + 22 * d + 20 * carrier.decades_ghz;
  const double nlos = -17.5 + (46 - 7 * decades(link.terminal_m)) * d + tgpp::metre_db(carrier);
  return link.line_of_sight ? los : nlos;
}

inline double rma_aerial_loss_db(const TgppLink& link, const Carrier& carrier) {
  const double d = decades(link.d3d_m);
  const double h = decades(link.terminal_m);
  const double slope = 23.9 - 1.8 * h;
  const double los = (slope > 20 ? slope : 20) * d + tgpp::metre_db(carrier);
  return tgpp::nlos_or(los, -12 + (35 - 5.3 * h) * d + tgpp::metre_db(carrier), link.line_of_sight);
}

double umi_aerial_los_probability(double d2d_m, double terminal_m);
double uma_aerial_los_probability(double d2d_m, double terminal_m);
double rma_aerial_los_probability(double d2d_m, double terminal_m);

/// Standard deviation of the shadowing in line of sight.
Decibels umi_aerial_sigma_los(double terminal_m);
Decibels uma_aerial_sigma_los(double terminal_m);
Decibels rma_aerial_sigma_los(double terminal_m);

/// Offices (TR 38.901), LOS or NLOS by the scene.
struct TgppInh {
  static constexpr std::string_view kName = "tgpp_inh";

  [[nodiscard]] double loss_db(const PairGeometry& pair, const Carrier& carrier) const {
    return inh_loss_db(tgpp_on_ground(pair), carrier);
  }
  /// Heights count for nothing, and out of sight it is no less than in sight.
  [[nodiscard]] static double least_loss_db(double d3d_m, double /*highest_m*/, const Carrier& carrier) {
    return inh_loss_db({.d2d_m = d3d_m, .d3d_m = d3d_m}, carrier);
  }
  [[nodiscard]] static double least_blocked_loss_db(double d3d_m, double /*highest_m*/, const Carrier& carrier) {
    return inh_loss_db({.d2d_m = d3d_m, .d3d_m = d3d_m, .line_of_sight = false}, carrier);
  }
  void losses_db(const PairBatch& pairs, const Carrier& carrier, double* loss_db) const;
  [[nodiscard]] double line_of_sight_probability(const PairGeometry& pair) const {
    return inh_mixed_los_probability(pair.d2d_m);
  }
};

class YamlReader;

/// The country (TR 38.901), LOS or NLOS by the scene, with terminals in the air above 10 m.
struct TgppRma {
  static constexpr std::string_view kName = "tgpp_rma";
  static constexpr double kAerialHeight = 10;  // m, of terminals where TR 36.777 takes over
  static constexpr double kMastHeight = 35;    // m, of base stations (TR 38.901, table 7.2-3)

  RuralSurroundings around;

  void read(YamlReader& loss);
  [[nodiscard]] double loss_db(const PairGeometry& pair, const Carrier& carrier) const {
    return tgpp_between(ground_loss_db(pair, carrier),
                        rma_aerial_loss_db(tgpp_in_the_air(pair, kAerialHeight), carrier),
                        tgpp_aerial_share(pair, kAerialHeight, kMastHeight));
  }
  /// Both ends below kAerialHeight.
  [[nodiscard]] double ground_loss_db(const PairGeometry& pair, const Carrier& carrier) const {
    return rma_loss_db(tgpp_on_ground(pair), around, carrier);
  }
  void losses_db(const PairBatch& pairs, const Carrier& carrier, double* loss_db) const;
  [[nodiscard]] double line_of_sight_probability(const PairGeometry& pair) const {
    const double ground = rma_los_probability(pair.d2d_m);
    const double air = rma_aerial_los_probability(pair.d2d_m, tgpp_in_the_air(pair, kAerialHeight).terminal_m);
    return tgpp_between(ground, air, tgpp_aerial_share(pair, kAerialHeight, kMastHeight));
  }
};

/// Base stations above the roofs of cities (TR 38.901), LOS or NLOS by the scene, with terminals in the air above
/// 22.5 m.
struct TgppUma {
  static constexpr std::string_view kName = "tgpp_uma";
  static constexpr double kAerialHeight = 22.5;  // m, of terminals where TR 36.777 takes over
  static constexpr double kMastHeight = 25;      // m, of base stations (TR 38.901, table 7.2-1)

  [[nodiscard]] double loss_db(const PairGeometry& pair, const Carrier& carrier) const {
    return tgpp_between(ground_loss_db(pair, carrier),
                        uma_aerial_loss_db(tgpp_in_the_air(pair, kAerialHeight), carrier),
                        tgpp_aerial_share(pair, kAerialHeight, kMastHeight));
  }
  /// Both ends below kAerialHeight.
  [[nodiscard]] double ground_loss_db(const PairGeometry& pair, const Carrier& carrier) const {
    return uma_loss_db(tgpp_on_ground(pair), carrier);
  }
  /// Out of sight it is no less than in sight, but in the air: there the highest terminal loses least.
  [[nodiscard]] static double least_loss_db(double d3d_m, double highest_m, const Carrier& carrier) {
    const double ground = tgpp::least_los_loss_db(kUmaLos, d3d_m, std::max(highest_m, kLeastTgppHeight), carrier);
    if (highest_m <= kAerialHeight) {
      return ground;
    }
    TgppLink link{.d2d_m = d3d_m, .d3d_m = d3d_m, .base_m = kLeastTgppHeight, .terminal_m = highest_m};
    const double sight = uma_aerial_loss_db(link, carrier);
    link.line_of_sight = false;
    return std::min({ground, sight, uma_aerial_loss_db(link, carrier)});
  }
  /// Either end may be the terminal, and the highest loses least.
  [[nodiscard]] static double least_blocked_loss_db(double d3d_m, double highest_m, const Carrier& carrier) {
    const double least = least_loss_db(d3d_m, highest_m, carrier);
    const double out_of_sight = uma_nlos_db({.d3d_m = d3d_m, .terminal_m = kAerialHeight}, carrier);
    return highest_m > kAerialHeight ? least : std::max(least, out_of_sight);
  }
  [[nodiscard]] static double equal_height_m(double high_m, double low_m, const Carrier& carrier) {
    return high_m > kAerialHeight ? high_m : tgpp::equal_height_m(high_m, low_m, carrier);
  }
  void losses_db(const PairBatch& pairs, const Carrier& carrier, double* loss_db) const;
  [[nodiscard]] double line_of_sight_probability(const PairGeometry& pair) const {
    const double ground = uma_los_probability(pair.d2d_m, tgpp_on_ground(pair).terminal_m);
    const double air = uma_aerial_los_probability(pair.d2d_m, tgpp_in_the_air(pair, kAerialHeight).terminal_m);
    return tgpp_between(ground, air, tgpp_aerial_share(pair, kAerialHeight, kMastHeight));
  }
};

/// Street canyons of cities (TR 38.901), LOS or NLOS by the scene, with terminals in the air above 22.5 m.
struct TgppUmi {
  static constexpr std::string_view kName = "tgpp_umi";
  static constexpr double kAerialHeight = 22.5;  // m, of terminals where TR 36.777 takes over
  /// m; base stations are 10 m high (TR 38.901, table 7.2-1), below where aerial terminals begin.
  static constexpr double kMastHeight = 22.5;

  [[nodiscard]] double loss_db(const PairGeometry& pair, const Carrier& carrier) const {
    return tgpp_between(ground_loss_db(pair, carrier),
                        umi_aerial_loss_db(tgpp_in_the_air(pair, kAerialHeight), carrier),
                        tgpp_aerial_share(pair, kAerialHeight, kMastHeight));
  }
  /// Both ends below kAerialHeight.
  [[nodiscard]] double ground_loss_db(const PairGeometry& pair, const Carrier& carrier) const {
    return umi_loss_db(tgpp_on_ground(pair), carrier);
  }
  /// Out of sight it is no less than in sight, and in the air no less than in free space.
  [[nodiscard]] static double least_loss_db(double d3d_m, double highest_m, const Carrier& carrier) {
    const double ground = tgpp::least_los_loss_db(kUmiLos, d3d_m, std::max(highest_m, kLeastTgppHeight), carrier);
    return highest_m > kAerialHeight ? std::min(ground, friis_loss_db(d3d_m, carrier.hz)) : ground;
  }
  /// Either end may be the terminal, and the highest loses least.
  [[nodiscard]] static double least_blocked_loss_db(double d3d_m, double highest_m, const Carrier& carrier) {
    const double least = least_loss_db(d3d_m, highest_m, carrier);
    const double out_of_sight = umi_nlos_db({.d3d_m = d3d_m, .terminal_m = kAerialHeight}, carrier);
    return highest_m > kAerialHeight ? least : std::max(least, out_of_sight);
  }
  [[nodiscard]] static double equal_height_m(double high_m, double low_m, const Carrier& carrier) {
    return high_m > kAerialHeight ? high_m : tgpp::equal_height_m(high_m, low_m, carrier);
  }
  void losses_db(const PairBatch& pairs, const Carrier& carrier, double* loss_db) const;
  [[nodiscard]] double line_of_sight_probability(const PairGeometry& pair) const {
    const double ground = umi_los_probability(pair.d2d_m);
    const double air = umi_aerial_los_probability(pair.d2d_m, tgpp_in_the_air(pair, kAerialHeight).terminal_m);
    return tgpp_between(ground, air, tgpp_aerial_share(pair, kAerialHeight, kMastHeight));
  }
};

}  // namespace hilgate
