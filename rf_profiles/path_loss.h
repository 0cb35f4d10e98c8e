// SPDX-License-Identifier: Apache-2.0
// Mean loss over distance, in dB as a positive number. Formulas: radio-models section 3, which names the sources.
//
// The free functions are the formulas, without limits on their arguments. PathLoss is what a radio profile chooses:
// one formula with its parameters, safe for any pair of robots.
#pragma once

#include <string>
#include <variant>

namespace hilgate {

double friis_loss_db(double d_m, double f_hz);

struct LogDistance {
  double exponent = 3;
  double reference_db = 46.6777;  // loss at the reference distance; Friis at 1 m, 5.15 GHz
  double reference_m = 1;
  [[nodiscard]] double loss_db(double d_m) const;
};

/// 3GPP TR 38.901, urban micro, street canyon. `high_m` and `low_m` are the antennas' heights above ground.
double umi_los_loss_db(double d2d_m, double d3d_m, double high_m, double low_m, double f_hz);
double umi_nlos_loss_db(double d2d_m, double d3d_m, double high_m, double low_m, double f_hz);

/// Where two robots are to one another.
struct PairGeometry {
  double d2d_m = 0;  // horizontal distance
  double d3d_m = 0;
  double high_m = 0;  // height above ground of the higher and of the lower antenna
  double low_m = 0;
  bool line_of_sight = true;
};

struct Friis {};
/// UMi street canyon; LOS or NLOS as the scene says.
struct TgppUmi {};

using PathLossModel = std::variant<Friis, LogDistance, TgppUmi>;

/// Loss of a pair at a frequency; at least 0. Distances below 1 m count as 1 m, and heights are taken into the range
/// that the chosen model is defined for (TR 38.901: 1.5 m and up).
double path_loss_db(const PathLossModel& model, const PairGeometry& pair, double f_hz);

}  // namespace hilgate
