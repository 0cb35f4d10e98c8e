// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/planes/configured_site.h"

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
  terms.gateway_of = gateways_of_robots(configuration);
  terms.here = robots_here(configuration);
  return terms;
}

std::vector<std::uint32_t> gateways_of_robots(const Configuration& configuration) {
  std::vector<std::uint32_t> gateways;
  for (const RobotConfig& robot : configuration.robots) {
    gateways.push_back(configuration.ports[robot.port.value()].gateway);
  }
  return gateways;
}

SharedMedia shared_media(const Configuration& configuration, const AirPlan& air) {
  if (judged_by_packet(configuration)) {
    return judged_media(configuration.robots.size(), configuration.site->gateways.size());
  }
  if (configuration.site->media == SiteMedia::kApart) {
    return {};
  }
  return shared_media(MediaGroups(air), gateways_of_robots(configuration));
}

}  // namespace hilgate
