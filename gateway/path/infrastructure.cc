// SPDX-License-Identifier: Apache-2.0
#include "gateway/path/infrastructure.h"

namespace hilgate {

Infrastructure::Infrastructure(const PathSettings& settings)
    : roles_(settings.air.roles), attachments_(roles_.size()), delay_(settings.air.distribution_delay) {
  place_of_.resize(roles_.size());
  for (std::uint32_t place = 0; place < roles_.size(); ++place) {
    in_table_.push_back(settings.table_places.empty() ? place : settings.table_places[place]);
    if (in_table_[place] < place_of_.size()) {
      place_of_[in_table_[place]] = place;
    }
  }
}

Attachment Infrastructure::attachment(const LinkTable& table, std::uint32_t place) const {
  const std::uint32_t robot = in_table_[place];
  if (robot >= table.attachments.size()) {
    return {};
  }
  Attachment attachment = table.attachments[robot];
  if (attachment.at != Attachment::kCable) {
    attachment.at = place_of_[attachment.at];
  }
  return attachment;
}

}  // namespace hilgate
