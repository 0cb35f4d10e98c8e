// SPDX-License-Identifier: Apache-2.0
#include "path/cores/media_homes.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "path/air/infrastructure.h"

namespace hilgate {
namespace {

constexpr std::size_t kNoHome = CrossingRings::kNoHome;

std::size_t home_before(const std::vector<std::size_t>& before, std::size_t slot) {
  return slot < before.size() ? before[slot] : kNoHome;
}

}  // namespace

std::vector<std::size_t> media_homes(const PathSettings& settings, const std::vector<std::size_t>& core_of_port,
                                     std::size_t elsewhere, const std::vector<std::size_t>& before) {
  const MediaGroups groups(settings.air);
  const auto core_of = [&](std::size_t slot) { return core_of_port[settings.robots[slot].port.value()]; };
  std::vector<std::size_t> home_of(groups.count(), kNoHome);
  std::vector<std::size_t> had(groups.count(), kNoHome);
  std::vector<std::optional<std::size_t>> group_of(settings.air.stations.size());
  for (std::size_t slot = 0; slot < group_of.size(); ++slot) {
    group_of[slot] = groups.of(slot);
    if (!group_of[slot] || core_of(slot) == elsewhere) {  // it goes by SharedMedia (gateway/site/) then
      group_of[slot].reset();
      continue;
    }
    const std::size_t group = *group_of[slot];
    home_of[group] = std::min(home_of[group], core_of(slot));
    if (const std::size_t own = home_before(before, slot); own != kNoHome) {
      if (had[group] != kNoHome && had[group] != own) {
        throw std::runtime_error(
            "packet_loop.cores: radios come to share a medium that were on different media, which different cores "
            "decide; "
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
          "packet_loop.cores: serial lines whose radios share a medium are on different cores; put their ports on one");
    }
  }
  return homes;
}

std::vector<std::size_t> cores_of_robots(const PathSettings& settings, const std::vector<std::size_t>& core_of_port) {
  std::vector<std::size_t> cores;
  for (const auto& robot : settings.robots) {
    cores.push_back(core_of_port[robot.port.value()]);
  }
  return cores;
}

}  // namespace hilgate
