// SPDX-License-Identifier: Apache-2.0
#include "path/air/infrastructure.h"

namespace hilgate {

Infrastructure::Infrastructure(const PathSettings& settings)
    : roles_(settings.air.roles),
      attachments_(roles_.size()),
      robots_(settings.table_robots()),
      delay_(settings.air.distribution_delay) {}

SlotAttachment Infrastructure::attachment(const LinkTable& table, RobotId slot) const {
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
