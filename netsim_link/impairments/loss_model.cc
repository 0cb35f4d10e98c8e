// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/impairments/loss_model.h"

#include "config/model_table.h"

namespace hilgate {

std::optional<LossModel> LossModel::read(YamlReader& link) {
  auto loss = link.optional_child(kKey);
  if (!loss) {
    return std::nullopt;
  }
  if (!loss->is_map()) {
    return IndependentLoss{link.required<Probability>(kKey).value};
  }
  LossModel model;
  static_cast<LossTable&>(model) = read_model<LossTable>(*loss, "model");
  return model;
}

bool LossModel::idle() const {
  const auto* const independent = std::get_if<IndependentLoss>(&table());
  return independent != nullptr && independent->probability <= 0;
}

}  // namespace hilgate
