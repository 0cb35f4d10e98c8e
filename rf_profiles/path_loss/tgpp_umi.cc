// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/path_loss/tgpp_umi.h"

#include "rf_profiles/numeric/vector_code.h"
#include "rf_profiles/path_loss/limited_loss.h"

namespace hilgate {
namespace {

HILGATE_VECTOR_CODE void umi_losses(const FormulaOf<TgppUmi>& formula, const PairBatch& pairs, double* loss_db) {
  losses_by_height_db(formula, pairs, loss_db);
}

}  // namespace

void TgppUmi::losses_db(const PairBatch& pairs, const Carrier& carrier, double* loss_db) const {
  umi_losses({*this, carrier}, pairs, loss_db);
}

}  // namespace hilgate
