// SPDX-License-Identifier: Apache-2.0
#include "gateway/site/shared_media.h"

#include <algorithm>
#include <cstddef>
#include <map>

namespace hilgate {

bool SharedMedia::may_decide(std::uint32_t gateway, std::uint32_t robot) const {
  const std::uint32_t medium = of(robot);
  return medium != kNone && std::ranges::find(media[medium].deciders, gateway) != media[medium].deciders.end();
}

SharedMedia shared_media(const MediaGroups& groups, const std::vector<std::uint32_t>& gateway_of) {
  std::vector<std::map<std::uint32_t, std::size_t>> stations(groups.count());  // by gateway
  const std::size_t robots = std::min(groups.slots(), gateway_of.size());
  for (std::size_t robot = 0; robot < robots; ++robot) {
    if (const auto group = groups.of(robot)) {
      ++stations[*group][gateway_of[robot]];
    }
  }
  SharedMedia shared;
  std::vector<std::uint32_t> place(groups.count(), SharedMedia::kNone);
  for (std::size_t group = 0; group < groups.count(); ++group) {
    if (stations[group].size() < 2) {
      continue;
    }
    place[group] = static_cast<std::uint32_t>(shared.media.size());
    SharedMedia::Medium& medium = shared.media.emplace_back(SharedMedia::Medium{groups.name(group), {}});
    for (const auto& [gateway, count] : stations[group]) {
      medium.deciders.push_back(gateway);
    }
    std::ranges::stable_sort(medium.deciders, std::ranges::greater{},
                             [&](std::uint32_t gateway) { return stations[group].at(gateway); });
  }
  for (std::size_t robot = 0; robot < robots && !shared.media.empty(); ++robot) {
    const auto group = groups.of(robot);
    shared.of_robot.push_back(group ? place[*group] : SharedMedia::kNone);
  }
  return shared;
}

SharedMedia judged_media(std::size_t robots, std::size_t gateways) {
  SharedMedia shared{.media = {{"netsim", {}}}, .of_robot = std::vector<std::uint32_t>(robots), .appointed = true};
  for (std::uint32_t gateway = 0; gateway < gateways; ++gateway) {
    shared.media.front().deciders.push_back(gateway);
  }
  return shared;
}

}  // namespace hilgate
