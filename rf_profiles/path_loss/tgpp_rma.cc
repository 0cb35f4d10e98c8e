// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/path_loss/tgpp_rma.h"

#include "config/checked_values.h"
#include "rf_profiles/numeric/vector_code.h"
#include "rf_profiles/path_loss/limited_loss.h"

namespace hilgate {
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

}  // namespace hilgate
