// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/path_loss.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "rf_profiles/decibel.h"

namespace hilgate {
namespace {

constexpr double kTgppLightSpeed = 3.0e8;  // TR 38.901, note 1 of table 7.4.1-1
constexpr double kLeastHeight = 1.5;       // m, of TR 38.901's terminals
constexpr double kLeastDistance = 1.0;     // m, nearer than any of the models means

double loss_of(const Friis&, const PairGeometry& pair, double f_hz) {
  return friis_loss_db(pair.d3d_m, f_hz);
}

double loss_of(const LogDistance& model, const PairGeometry& pair, double) {
  return model.loss_db(pair.d3d_m);
}

double loss_of(const TgppUmi&, const PairGeometry& pair, double f_hz) {
  const double high = std::max(pair.high_m, kLeastHeight);
  const double low = std::max(pair.low_m, kLeastHeight);
  return pair.line_of_sight ? umi_los_loss_db(pair.d2d_m, pair.d3d_m, high, low, f_hz)
                            : umi_nlos_loss_db(pair.d2d_m, pair.d3d_m, high, low, f_hz);
}

}  // namespace

double friis_loss_db(double d_m, double f_hz) {
  return d_m > 0 ? 20 * std::log10(4 * std::numbers::pi * d_m * f_hz / kLightSpeed) : 0;
}

double LogDistance::loss_db(double d_m) const {
  return d_m > reference_m ? reference_db + 10 * exponent * std::log10(d_m / reference_m) : reference_db;
}

double umi_los_loss_db(double d2d_m, double d3d_m, double high_m, double low_m, double f_hz) {
  const double environment_m = 1;
  const double breakpoint = 4 * (high_m - environment_m) * (low_m - environment_m) * f_hz / kTgppLightSpeed;
  const double base = 32.4 + 20 * std::log10(f_hz / 1e9);
  if (d2d_m <= breakpoint) {
    return base + 21 * std::log10(d3d_m);
  }
  const double rise = high_m - low_m;
  return base + 40 * std::log10(d3d_m) - 9.5 * std::log10(breakpoint * breakpoint + rise * rise);
}

double umi_nlos_loss_db(double d2d_m, double d3d_m, double high_m, double low_m, double f_hz) {
  const double nlos = 22.4 + 35.3 * std::log10(d3d_m) + 21.3 * std::log10(f_hz / 1e9) - 0.3 * (low_m - kLeastHeight);
  return std::max(umi_los_loss_db(d2d_m, d3d_m, high_m, low_m, f_hz), nlos);
}

double path_loss_db(const PathLossModel& model, const PairGeometry& pair, double f_hz) {
  PairGeometry apart = pair;
  apart.d3d_m = std::max(pair.d3d_m, kLeastDistance);
  return std::max(0.0, std::visit([&](const auto& chosen) { return loss_of(chosen, apart, f_hz); }, model));
}

}  // namespace hilgate
