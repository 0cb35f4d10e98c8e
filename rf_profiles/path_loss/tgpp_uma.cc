// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/path_loss/tgpp_uma.h"

#include "rf_profiles/numeric/vector_code.h"
#include "rf_profiles/path_loss/limited_loss.h"

namespace hilgate {
namespace {

HILGATE_VECTOR_CODE void uma_losses(const FormulaOf<TgppUma>& formula, const PairBatch& pairs, double* loss_db) {
  losses_by_height_db(formula, pairs, loss_db);
}

}  // namespace

void TgppUma::losses_db(const PairBatch& pairs, const Carrier& carrier, double* loss_db) const {
  uma_losses({*this, carrier}, pairs, loss_db);
}

}  // namespace hilgate
