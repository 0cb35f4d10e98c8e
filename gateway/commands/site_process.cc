// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/site_process.h"

#include <string>
#include <utility>

#include "gateway/daemon/site/site_bus.h"
#include "gateway/site/bus_settings.h"
#include "host/companion/companion_program.h"

namespace hilgate {

SiteProcess start_site(const Configuration& configuration, const std::set<unsigned>& cpus) {
  const GatewayConfig* const own = own_gateway(configuration);
  if (own == nullptr) {
    return {};
  }
  const std::string program = companion_program("hilgate-site", "a gateway of a site");
  BusEnds ends = make_bus_ends();
  BusSettings settings{.run = configuration.name,
                       .site = configuration.site->name,
                       .gateway = own->name,
                       .address = own->address.text(),
                       .socket = ends.program.get()};
  for (const GatewayConfig& gateway : configuration.site->gateways) {
    settings.others.push_back(gateway.address.text());
  }
  const std::string argument = nlohmann::json(settings).dump();
  auto process = std::make_unique<CompanionProcess>(
      CompanionProcess::Work{
          .name = "site", .what = "hilgate-site", .body = [&program, &argument] { become(program, argument); }},
      cpus);
  return {.process = std::move(process), .socket = std::move(ends.own)};
}

}  // namespace hilgate
