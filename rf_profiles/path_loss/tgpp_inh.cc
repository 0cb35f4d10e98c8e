// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/path_loss/tgpp_inh.h"

#include "rf_profiles/numeric/vector_code.h"
#include "rf_profiles/path_loss/limited_loss.h"

namespace hilgate {
namespace {

HILGATE_VECTOR_CODE void inh_losses(const FormulaOf<TgppInh>& formula, const PairBatch& pairs, double* loss_db) {
  limited_losses_db(formula, pairs, loss_db);
}

}  // namespace

void TgppInh::losses_db(const PairBatch& pairs, const Carrier& carrier, double* loss_db) const {
  inh_losses({*this, carrier}, pairs, loss_db);
}

}  // namespace hilgate
