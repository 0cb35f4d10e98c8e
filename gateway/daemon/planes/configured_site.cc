// SPDX-License-Identifier: Apache-2.0
#include "gateway/daemon/planes/configured_site.h"

#include <fmt/format.h>

#include <map>

namespace hilgate {

SiteTerms site_terms(const Configuration& configuration) {
  const SiteConfig& site = *configuration.site;
  SiteTerms terms{.site = site.name,
                  .gateways = {},
                  .own = *site.own,
                  .digest = site.digest,
                  .version = site.version,
                  .clock_within = site.clock_within,
                  .silent_after = site.silent_after,
                  .zero_within = configuration.window / 2};
  if (!site.key_file.empty()) {
    terms.key = SiteKey::load(site.key_file);
  }
  for (const GatewayConfig& gateway : site.gateways) {
    terms.gateways.push_back({gateway.name, gateway.address.v4(), gateway.port});
  }
  for (const RobotConfig& robot : configuration.robots) {
    terms.gateway_of.push_back(configuration.ports[robot.port.value()].gateway);
  }
  terms.here = robots_here(configuration);
  return terms;
}

std::string medium_across_gateways(const Configuration& configuration, const AirPlan& air) {
  if (!configuration.site || configuration.site->media == SiteMedia::kApart) {
    return {};
  }
  std::map<std::size_t, std::size_t> first;  // robot, by domain
  for (std::size_t i = 0; i < configuration.robots.size() && i < air.stations.size(); ++i) {
    if (!air.stations[i]) {
      continue;
    }
    const std::size_t other = first.emplace(air.stations[i]->domain, i).first->second;
    const auto gateway_of = [&](std::size_t robot) {
      return configuration.ports[configuration.robots[robot].port.value()].gateway;
    };
    if (gateway_of(other) != gateway_of(i)) {
      return fmt::format(
          "the radios of robot '{}' at gateway '{}' and of robot '{}' at gateway '{}' share a medium; turns on the air "
          "are decided within one gateway until now: put them at one, or say `media: apart`, and stations contend with "
          "those of their own gateway alone",
          configuration.robots[other].name, configuration.site->gateways[gateway_of(other)].name,
          configuration.robots[i].name, configuration.site->gateways[gateway_of(i)].name);
    }
  }
  return {};
}

}  // namespace hilgate
