// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "netsim_link/air_plan.h"

namespace hilgate {

/// Robots that meet on the air, and whose frames one place therefore decides: those of a domain, and all that is on a
/// network of access points, because it may come to share any of its media. By slot, as the plan.
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
