// SPDX-License-Identifier: Apache-2.0
#include "gateway/path/infrastructure.h"

namespace hilgate {

Infrastructure::Infrastructure(const PathSettings& settings)
    : roles_(settings.air.roles), attachments_(roles_.size()), delay_(settings.air.distribution_delay) {
  slot_of_index_.resize(roles_.size());
  for (std::uint32_t slot = 0; slot < roles_.size(); ++slot) {
    index_of_slot_.push_back(settings.table_indices.empty() ? slot : settings.table_indices[slot]);
    if (index_of_slot_[slot] < slot_of_index_.size()) {
      slot_of_index_[index_of_slot_[slot]] = slot;
    }
  }
}

Attachment Infrastructure::attachment(const LinkTable& table, std::uint32_t slot) const {
  const std::uint32_t index = index_of_slot_[slot];
  if (index >= table.attachments.size()) {
    return {};
  }
  Attachment attachment = table.attachments[index];
  if (attachment.at != Attachment::kCable) {
    attachment.at = slot_of_index_[attachment.at];
  }
  return attachment;
}

}  // namespace hilgate
