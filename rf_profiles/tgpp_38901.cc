// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/tgpp_38901.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "rf_profiles/decibel.h"

namespace hilgate {
namespace {

constexpr double kTgppLightSpeed = 3.0e8;  // note 1 of the table; c itself would differ by up to 0.006 dB
constexpr double kEnvironmentHeight = 1;   // m

double ghz(double f_hz) {
  return f_hz / 1e9;
}
double square(double x) {
  return x * x;
}

double breakpoint_m(const TgppLink& link, double f_hz) {
  return 4 * (link.base_m - kEnvironmentHeight) * (link.terminal_m - kEnvironmentHeight) * f_hz / kTgppLightSpeed;
}

/// UMi and UMa have one shape in line of sight: a slope, and 40 dB per decade behind the breakpoint.
struct LosShape {
  double offset;
  double slope;
  double breakpoint_factor;
};
double los_loss_db(const LosShape& shape, const TgppLink& link, const Carrier& carrier) {
  const double base = shape.offset + 20 * carrier.decades_ghz;
  const double breakpoint = breakpoint_m(link, carrier.hz);
  if (link.d2d_m <= breakpoint) {
    return base + shape.slope * decades(link.d3d_m);
  }
  return base + 40 * decades(link.d3d_m) -
         shape.breakpoint_factor * decades(square(breakpoint) + square(link.base_m - link.terminal_m));
}

double rma_los_loss_db(const TgppLink& link, const RuralSurroundings& around, double f_hz) {
  const double h = around.building_m;
  const auto near = [&](double d) {
    return 20 * decades(40 * std::numbers::pi * d * ghz(f_hz) / 3) +
           std::min(0.03 * std::pow(h, 1.72), 10.0) * decades(d) - std::min(0.044 * std::pow(h, 1.72), 14.77) +
           0.002 * decades(h) * d;
  };
  const double breakpoint = 2 * std::numbers::pi * link.base_m * link.terminal_m * f_hz / kTgppLightSpeed;
  return link.d2d_m <= breakpoint ? near(link.d3d_m) : near(breakpoint) + 40 * decades(link.d3d_m / breakpoint);
}

}  // namespace

double umi_loss_db(const TgppLink& link, const Carrier& carrier) {
  const double los = los_loss_db({32.4, 21, 9.5}, link, carrier);
  if (link.line_of_sight) {
    return los;
  }
  return std::max(los, 22.4 + 35.3 * decades(link.d3d_m) + 21.3 * carrier.decades_ghz - 0.3 * (link.terminal_m - 1.5));
}

double uma_loss_db(const TgppLink& link, const Carrier& carrier) {
  const double los = los_loss_db({28.0, 22, 9}, link, carrier);
  if (link.line_of_sight) {
    return los;
  }
  return std::max(los, 13.54 + 39.08 * decades(link.d3d_m) + 20 * carrier.decades_ghz - 0.6 * (link.terminal_m - 1.5));
}

double inh_loss_db(const TgppLink& link, const Carrier& carrier) {
  const double distance = decades(link.d3d_m);
  const double los = 32.4 + 17.3 * distance + 20 * carrier.decades_ghz;
  const double nlos = 17.3 + 38.3 * distance + 24.9 * carrier.decades_ghz;
  return link.line_of_sight ? los : std::max(los, nlos);
}

double rma_loss_db(const TgppLink& link, const RuralSurroundings& around, double f_hz) {
  const double los = rma_los_loss_db(link, around, f_hz);
  const double base = decades(link.base_m);
  const double nlos = 161.04 - 7.1 * decades(around.street_m) + 7.5 * decades(around.building_m) -
                      (24.37 - 3.7 * square(around.building_m / link.base_m)) * base +
                      (43.42 - 3.1 * base) * (decades(link.d3d_m) - 3) + 20 * decades(ghz(f_hz)) -
                      (3.2 * square(decades(11.75 * link.terminal_m)) - 4.97);
  return link.line_of_sight ? los : std::max(los, nlos);
}

double umi_los_probability(double d2d_m) {
  return d2d_m <= 18 ? 1 : 18 / d2d_m + std::exp(-d2d_m / 36) * (1 - 18 / d2d_m);
}

double uma_los_probability(double d2d_m, double terminal_m) {
  if (d2d_m <= 18) {
    return 1;
  }
  const double tall = terminal_m <= 13 ? 0 : std::pow((terminal_m - 13) / 10, 1.5);
  const double street = 18 / d2d_m + std::exp(-d2d_m / 63) * (1 - 18 / d2d_m);
  return street * (1 + tall * 1.25 * std::pow(d2d_m / 100, 3) * std::exp(-d2d_m / 150));
}

double rma_los_probability(double d2d_m) {
  return d2d_m <= 10 ? 1 : std::exp(-(d2d_m - 10) / 1000);
}

double inh_mixed_los_probability(double d2d_m) {
  if (d2d_m <= 1.2) {
    return 1;
  }
  return d2d_m < 6.5 ? std::exp(-(d2d_m - 1.2) / 4.7) : 0.32 * std::exp(-(d2d_m - 6.5) / 32.6);
}

double inh_open_los_probability(double d2d_m) {
  if (d2d_m <= 5) {
    return 1;
  }
  return d2d_m <= 49 ? std::exp(-(d2d_m - 5) / 70.8) : 0.54 * std::exp(-(d2d_m - 49) / 211.7);
}

double glass_loss_db(double f_hz) {
  return 2 + 0.2 * ghz(f_hz);
}
double coated_glass_loss_db(double f_hz) {
  return 23 + 0.3 * ghz(f_hz);
}
double concrete_loss_db(double f_hz) {
  return 5 + 4 * ghz(f_hz);
}
double wood_loss_db(double f_hz) {
  return 4.85 + 0.12 * ghz(f_hz);
}
double into_low_loss_building_db(double f_hz) {
  return 5 - db_of(0.3 * ratio_of_db(-glass_loss_db(f_hz)) + 0.7 * ratio_of_db(-concrete_loss_db(f_hz)));
}
double into_high_loss_building_db(double f_hz) {
  return 5 - db_of(0.7 * ratio_of_db(-coated_glass_loss_db(f_hz)) + 0.3 * ratio_of_db(-concrete_loss_db(f_hz)));
}

}  // namespace hilgate
