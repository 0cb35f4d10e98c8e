// SPDX-License-Identifier: Apache-2.0
// 3GPP TR 38.901, 0.5 to 100 GHz: path loss (table 7.4.1-1), line-of-sight probability (7.4.2), losses into buildings
// (7.4.3). dB as positive numbers. No limits on arguments are enforced.
#pragma once

#include "rf_profiles/decibel.h"

namespace hilgate {

/// The link between a base station and a terminal.
struct TgppLink {
  double d2d_m = 0;
  double d3d_m = 0;
  double base_m = 10;  // antenna heights above ground
  double terminal_m = 1.5;
  bool line_of_sight = true;
};

double umi_loss_db(const TgppLink& link, const Carrier& carrier);
double uma_loss_db(const TgppLink& link, const Carrier& carrier);  // with an effective environment height of 1 m
double inh_loss_db(const TgppLink& link, const Carrier& carrier);

struct RuralSurroundings {
  double building_m = 5;
  double street_m = 20;
};
double rma_loss_db(const TgppLink& link, const RuralSurroundings& around, double f_hz);

/// Probability of line of sight at a horizontal distance.
double umi_los_probability(double d2d_m);
double uma_los_probability(double d2d_m, double terminal_m);
double rma_los_probability(double d2d_m);
double inh_mixed_los_probability(double d2d_m);
double inh_open_los_probability(double d2d_m);

/// Losses through outer walls.
double glass_loss_db(double f_hz);
double coated_glass_loss_db(double f_hz);
double concrete_loss_db(double f_hz);
double wood_loss_db(double f_hz);
double into_low_loss_building_db(double f_hz);
double into_high_loss_building_db(double f_hz);

}  // namespace hilgate
