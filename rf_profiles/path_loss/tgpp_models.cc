// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/path_loss/tgpp_models.h"

#include <algorithm>
#include <cmath>

#include "config/range.h"
#include "rf_profiles/numeric/decibel.h"
#include "rf_profiles/numeric/vector_code.h"
#include "rf_profiles/path_loss/limited_loss.h"

namespace hilgate {
namespace {

double ghz(Hertz frequency) {
  return frequency.value / 1e9;
}

}  // namespace

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

Decibels glass_loss(Hertz frequency) {
  return {2 + 0.2 * ghz(frequency)};
}
Decibels coated_glass_loss(Hertz frequency) {
  return {23 + 0.3 * ghz(frequency)};
}
Decibels concrete_loss(Hertz frequency) {
  return {5 + 4 * ghz(frequency)};
}
Decibels wood_loss(Hertz frequency) {
  return {4.85 + 0.12 * ghz(frequency)};
}
Decibels into_low_loss_building(Hertz frequency) {
  return {5 - db_of(0.3 * ratio(-glass_loss(frequency)) + 0.7 * ratio(-concrete_loss(frequency)))};
}
Decibels into_high_loss_building(Hertz frequency) {
  return {5 - db_of(0.7 * ratio(-coated_glass_loss(frequency)) + 0.3 * ratio(-concrete_loss(frequency)))};
}

namespace {

/// 1 up to a distance, falling to 0 from there.
double aerial_los_probability(double d2d_m, double sure_m, double fading_m) {
  return d2d_m <= sure_m ? 1 : sure_m / d2d_m + std::exp(-d2d_m / fading_m) * (1 - sure_m / d2d_m);
}

}  // namespace

double umi_aerial_los_probability(double d2d_m, double terminal_m) {
  const double h = decades(terminal_m);
  return aerial_los_probability(d2d_m, std::max(294.05 * h - 432.94, 18.0), 233.98 * h - 0.95);
}

double uma_aerial_los_probability(double d2d_m, double terminal_m) {
  if (terminal_m > 100) {
    return 1;
  }
  const double h = decades(terminal_m);
  return aerial_los_probability(d2d_m, std::max(460 * h - 700, 18.0), 4300 * h - 3800);
}

double rma_aerial_los_probability(double d2d_m, double terminal_m) {
  if (terminal_m > 40) {
    return 1;
  }
  const double h = decades(terminal_m);
  return aerial_los_probability(d2d_m, std::max(1350.8 * h - 1602, 18.0), std::max(15021 * h - 16053, 1000.0));
}

Decibels umi_aerial_sigma_los(double terminal_m) {
  return {std::max(5 * std::exp(-0.01 * terminal_m), 2.0)};
}
Decibels uma_aerial_sigma_los(double terminal_m) {
  return {4.64 * std::exp(-0.0066 * terminal_m)};
}
Decibels rma_aerial_sigma_los(double terminal_m) {
  return {4.2 * std::exp(-0.0046 * terminal_m)};
}

namespace {

HILGATE_VECTOR_CODE void inh_losses(const FormulaOf<TgppInh>& formula, const PairBatch& pairs, double* loss_db) {
  limited_losses_db(formula, pairs, loss_db);
}

}  // namespace

void TgppInh::losses_db(const PairBatch& pairs, const Carrier& carrier, double* loss_db) const {
  inh_losses({*this, carrier}, pairs, loss_db);
}

namespace {

HILGATE_VECTOR_CODE void rma_losses(const FormulaOf<TgppRma>& formula, const PairBatch& pairs, double* loss_db) {
  losses_by_height_db(formula, pairs, loss_db);
}

}  // namespace

void TgppRma::read(YamlReader& loss) {
  if (loss.has("building_height")) {
    around.building_m = within<Metres>(loss, "building_height", 5, 50).value;
  }
  if (loss.has("street_width")) {
    around.street_m = within<Metres>(loss, "street_width", 5, 50).value;
  }
}

void TgppRma::losses_db(const PairBatch& pairs, const Carrier& carrier, double* loss_db) const {
  rma_losses({*this, carrier}, pairs, loss_db);
}

namespace {

HILGATE_VECTOR_CODE void uma_losses(const FormulaOf<TgppUma>& formula, const PairBatch& pairs, double* loss_db) {
  losses_by_height_db(formula, pairs, loss_db);
}

}  // namespace

void TgppUma::losses_db(const PairBatch& pairs, const Carrier& carrier, double* loss_db) const {
  uma_losses({*this, carrier}, pairs, loss_db);
}

namespace {

HILGATE_VECTOR_CODE void umi_losses(const FormulaOf<TgppUmi>& formula, const PairBatch& pairs, double* loss_db) {
  losses_by_height_db(formula, pairs, loss_db);
}

}  // namespace

void TgppUmi::losses_db(const PairBatch& pairs, const Carrier& carrier, double* loss_db) const {
  umi_losses({*this, carrier}, pairs, loss_db);
}

}  // namespace hilgate
