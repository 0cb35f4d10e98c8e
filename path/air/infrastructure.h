// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "netsim_link/air_plan.h"
#include "netsim_link/link_state.h"
#include "path/fate/table_robots.h"
#include "path/settings/path_settings.h"

namespace hilgate {

/// Robots that meet on the air, and whose frames are therefore decided together: those of a domain, and all robots on a
/// network of access points, because they may come to share any of its media. By slot, as the plan.
class MediaGroups {
 public:
  /// The plan must outlive it.
  explicit MediaGroups(const AirPlan& air);

  [[nodiscard]] std::size_t count() const { return air_.domains.size() + 1; }
  [[nodiscard]] std::size_t slots() const { return air_.stations.size(); }
  /// None: the robot has no medium, or is itself an access point.
  [[nodiscard]] std::optional<std::size_t> of(std::size_t slot) const;
  /// For people.
  [[nodiscard]] std::string name(std::size_t group) const;

 private:
  const AirPlan& air_;
  std::vector<std::uint32_t> of_access_points_;  // domains
};

}  // namespace hilgate

// Attachments of the network of access points, as the packet loop sees them: by slot, from the newest link table.
//
// Does nothing without infrastructure mode.

namespace hilgate {

using SlotAttachment = AttachmentTo<RobotSlot>;

/// Used by one thread. Does not allocate after construction.
class Infrastructure {
 public:
  explicit Infrastructure(const PathSettings& settings);

  [[nodiscard]] bool on() const { return !roles_.empty(); }
  [[nodiscard]] AirRole role(RobotSlot slot) const { return on() ? roles_[slot.value()] : AirRole::kNone; }
  /// Of a slot that is a station or wired.
  [[nodiscard]] const SlotAttachment& of(RobotSlot slot) const { return attachments_[slot.value()]; }
  /// How long a frame is on the cable between two access points.
  [[nodiscard]] Nanoseconds delay() const { return delay_; }

  /// Takes the attachments of a table, and calls each(slot, before, now) for the stations that have moved; for all of
  /// them the first time.
  template <class Each>
  void take(const LinkTable& table, Each each) {
    for (std::uint32_t slot = 0; slot < roles_.size(); ++slot) {
      if (roles_[slot] != AirRole::kStation && roles_[slot] != AirRole::kWired) {
        continue;
      }
      const SlotAttachment before = attachments_[slot];
      attachments_[slot] = attachment(table, RobotSlot{slot});
      if (roles_[slot] == AirRole::kStation && (first_ || before != attachments_[slot])) {
        each(RobotSlot{slot}, before, attachments_[slot]);
      }
    }
    first_ = false;
  }

 private:
  [[nodiscard]] SlotAttachment attachment(const LinkTable& table, RobotSlot slot) const;

  std::vector<AirRole> roles_;               // by slot
  std::vector<SlotAttachment> attachments_;  // by slot
  TableRobots robots_;
  Nanoseconds delay_;
  bool first_ = true;
};

}  // namespace hilgate
