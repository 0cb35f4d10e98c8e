// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/planes/site_homes.h"

#include <algorithm>

#include "gateway/run/planes/configured_site.h"

namespace hilgate {
namespace {

MediaDeciders deciders_of(const Configuration& configuration, const AirPlan& air) {
  if (own_gateway(configuration) == nullptr) {
    return {{}, 0, 1};
  }
  return {shared_media(configuration, air), *configuration.site->own, configuration.site->gateways.size()};
}

}  // namespace

SiteHomes::SiteHomes(const Configuration& configuration, const AirPlan& air, std::size_t tunnel)
    : tunnel_(tunnel),
      tunnels_(own_gateway(configuration) != nullptr ? 1 : 0),
      deciders_(deciders_of(configuration, air)) {
  const SharedMedia& media = deciders_.media();
  if (media.media.empty()) {
    return;
  }
  const std::vector<std::uint32_t> gateways = gateways_of_robots(configuration);
  decided_here_.resize(gateways.size());
  for (std::uint32_t robot = 0; robot < gateways.size(); ++robot) {
    if (const std::uint32_t medium = media.of(robot);
        medium != SharedMedia::kNone && gateways[robot] == *configuration.site->own) {
      decided_here_[robot] = &deciders_.decided_here(medium);
    }
  }
}

std::vector<std::size_t> SiteHomes::of(std::vector<std::size_t> homes) const {
  for (std::size_t robot = 0; robot < std::min(homes.size(), decided_here_.size()); ++robot) {
    homes[robot] = decided_here_[robot] != nullptr ? tunnel_ : homes[robot];
  }
  return homes;
}

}  // namespace hilgate
