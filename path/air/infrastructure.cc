// SPDX-License-Identifier: Apache-2.0
#include "path/air/infrastructure.h"

#include <algorithm>

namespace hilgate {

MediaGroups::MediaGroups(const AirPlan& air) : air_(air) {
  for (std::size_t slot = 0; slot < air_.stations.size(); ++slot) {
    if (air_.role(slot) == AirRole::kAccessPoint && air_.stations[slot]) {
      of_access_points_.push_back(air_.stations[slot]->domain);
    }
  }
}

std::optional<std::size_t> MediaGroups::of(std::size_t slot) const {
  const auto& station = air_.stations[slot];
  const AirRole role = air_.role(slot);
  if (role == AirRole::kAccessPoint || (role == AirRole::kNone && !station)) {
    return std::nullopt;
  }
  const bool infrastructure =
      role != AirRole::kNone || std::ranges::find(of_access_points_, station->domain) != of_access_points_.end();
  return infrastructure ? air_.domains.size() : station->domain;
}

std::string MediaGroups::name(std::size_t group) const {
  return group == air_.domains.size() ? "access points" : air_.domains[group].name;
}

Infrastructure::Infrastructure(const PathSettings& settings)
    : roles_(settings.air.roles),
      attachments_(roles_.size()),
      robots_(settings.table_robots()),
      delay_(settings.air.distribution_delay) {}

SlotAttachment Infrastructure::attachment(const LinkTable& table, RobotSlot slot) const {
  const OptionalIndex<RobotIndex> robot = robots_.index_of(slot);
  if (!robot || robot.value().value() >= table.attachments.size()) {
    return {};
  }
  const Attachment& attachment = table.attachments[robot.value().value()];
  SlotAttachment here{.state = attachment.state};
  if (attachment.at) {
    here.at = robots_.slot_of(attachment.at.value());
  }
  return here;
}

}  // namespace hilgate
