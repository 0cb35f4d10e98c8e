// SPDX-License-Identifier: Apache-2.0
// Who is where on the network of access points, as the hot loop sees it: by place, after the newest link table.
//
// Does nothing without infrastructure mode.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gateway/path/path_settings.h"
#include "netsim_link/air_plan.h"
#include "netsim_link/link_state.h"

namespace hilgate {

/// Used by one thread. Does not allocate after construction.
class Infrastructure {
 public:
  explicit Infrastructure(const PathSettings& settings);

  [[nodiscard]] bool on() const { return !roles_.empty(); }
  [[nodiscard]] AirRole role(RobotId place) const { return on() ? roles_[place.value()] : AirRole::kNone; }
  /// Of a place that is a station or wired.
  [[nodiscard]] const Attachment& of(RobotId place) const { return attachments_[place.value()]; }
  /// How long a frame is on the cable between two access points.
  [[nodiscard]] Nanoseconds delay() const { return delay_; }

  /// Takes the attachments of a table, and tells each(place, before, now) of the stations that are elsewhere than
  /// before; of all of them the first time.
  template <class Each>
  void take(const LinkTable& table, Each each) {
    for (std::uint32_t place = 0; place < roles_.size(); ++place) {
      if (roles_[place] != AirRole::kStation && roles_[place] != AirRole::kWired) {
        continue;
      }
      const Attachment before = attachments_[place];
      attachments_[place] = attachment(table, place);
      if (roles_[place] == AirRole::kStation && (first_ || before != attachments_[place])) {
        each(RobotId{place}, before, attachments_[place]);
      }
    }
    first_ = false;
  }

 private:
  [[nodiscard]] Attachment attachment(const LinkTable& table, std::uint32_t place) const;

  std::vector<AirRole> roles_;           // by place
  std::vector<Attachment> attachments_;  // by place; `at` is a place too
  std::vector<std::uint32_t> in_table_;  // by place: RobotId of the table
  std::vector<std::uint32_t> place_of_;  // by RobotId of the table
  Nanoseconds delay_;
  bool first_ = true;
};

}  // namespace hilgate
