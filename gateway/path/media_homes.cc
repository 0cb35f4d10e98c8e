// SPDX-License-Identifier: Apache-2.0
#include "gateway/path/media_homes.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace hilgate {
namespace {

constexpr std::size_t kNoHome = CrossingRings::kNoHome;

/// Robots that meet on the air: those of a domain, and all that is on a network of access points, because it may come
/// to share any of its media.
class Groups {
 public:
  explicit Groups(const PathSettings& settings) : air_(settings.air) {
    for (std::size_t slot = 0; slot < air_.stations.size(); ++slot) {
      if (air_.role(slot) == AirRole::kAccessPoint && air_.stations[slot]) {
        of_access_points_.push_back(air_.stations[slot]->domain);
      }
    }
  }
  [[nodiscard]] std::size_t count() const { return air_.domains.size() + 1; }
  /// None: the robot has no medium, or is itself an access point.
  [[nodiscard]] std::optional<std::size_t> of(std::size_t slot) const {
    const auto& station = air_.stations[slot];
    const AirRole role = air_.role(slot);
    if (role == AirRole::kAccessPoint || (role == AirRole::kNone && !station)) {
      return std::nullopt;
    }
    const bool infrastructure =
        role != AirRole::kNone || std::ranges::find(of_access_points_, station->domain) != of_access_points_.end();
    return infrastructure ? air_.domains.size() : station->domain;
  }

 private:
  const AirPlan& air_;
  std::vector<std::uint32_t> of_access_points_;  // domains
};

std::size_t home_before(const std::vector<std::size_t>& before, std::size_t slot) {
  return slot < before.size() ? before[slot] : kNoHome;
}

}  // namespace

std::vector<std::size_t> media_homes(const PathSettings& settings, const std::vector<std::size_t>& core_of_port,
                                     std::size_t elsewhere, const std::vector<std::size_t>& before) {
  const Groups groups(settings);
  const auto core_of = [&](std::size_t slot) { return core_of_port[settings.robots[slot].port.value()]; };
  std::vector<std::size_t> home_of(groups.count(), kNoHome);
  std::vector<std::size_t> had(groups.count(), kNoHome);
  std::vector<std::optional<std::size_t>> group_of(settings.air.stations.size());
  for (std::size_t slot = 0; slot < group_of.size(); ++slot) {
    group_of[slot] = groups.of(slot);
    if (!group_of[slot] || core_of(slot) == elsewhere) {  // whether that may be, medium_across_gateways() says
      group_of[slot].reset();
      continue;
    }
    const std::size_t group = *group_of[slot];
    home_of[group] = std::min(home_of[group], core_of(slot));
    if (const std::size_t own = home_before(before, slot); own != kNoHome) {
      if (had[group] != kNoHome && had[group] != own) {
        throw std::runtime_error(
            "hot_loop.cores: radios come to share a medium that were on different media, which different cores decide; "
            "restart the gateway");
      }
      had[group] = own;
    }
  }
  std::vector<std::size_t> homes(settings.robots.size(), kNoHome);
  for (std::size_t slot = 0; slot < group_of.size(); ++slot) {
    if (!group_of[slot]) {
      continue;
    }
    homes[slot] = had[*group_of[slot]] != kNoHome ? had[*group_of[slot]] : home_of[*group_of[slot]];
    if (settings.robots[slot].line && homes[slot] != core_of(slot)) {
      throw std::runtime_error(
          "hot_loop.cores: serial lines whose radios share a medium are on different cores; put their ports on one");
    }
  }
  return homes;
}

}  // namespace hilgate
