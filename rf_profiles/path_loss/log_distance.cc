// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/path_loss/log_distance.h"

#include "config/checked_values.h"
#include "rf_profiles/numeric/vector_code.h"
#include "rf_profiles/path_loss/limited_loss.h"

namespace hilgate {
namespace {

HILGATE_VECTOR_CODE void log_distance_losses(const FormulaOf<LogDistance>& formula, const PairBatch& pairs,
                                             double* loss_db) {
  limited_losses_db(formula, pairs, loss_db);
}

}  // namespace

void LogDistance::read(YamlReader& loss) {
  exponent = number_within(loss, "exponent", 0, 10);
  reference = within<Decibels>(loss, "reference_loss", 0, 200);
  reference_m = within<Metres>(loss, "reference_distance", 0.001, 1e6).value;
}

void LogDistance::losses_db(const PairBatch& pairs, const Carrier& carrier, double* loss_db) const {
  log_distance_losses({*this, carrier}, pairs, loss_db);
}

}  // namespace hilgate
