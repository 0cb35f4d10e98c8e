// SPDX-License-Identifier: Apache-2.0
#include "gateway/daemon/planes/media_cores.h"

#include <optional>
#include <stdexcept>

namespace hilgate {

void check_media(const PathSettings& settings, const std::vector<std::size_t>& core_of_port, std::size_t elsewhere) {
  std::vector<std::optional<std::size_t>> core_of_domain(settings.air.domains.size() + 1);
  for (std::size_t i = 0; i < settings.air.stations.size(); ++i) {
    const auto& station = settings.air.stations[i];
    const AirRole role = settings.air.role(i);
    if (role == AirRole::kAccessPoint || (role == AirRole::kNone && !station)) {
      continue;
    }
    // All that is on a network of access points may come to share any of its media.
    auto& core = role == AirRole::kNone ? core_of_domain[station->domain] : core_of_domain.back();
    const std::size_t own = core_of_port[settings.robots[i].port.value()];
    if (own == elsewhere) {
      continue;  // whether that may be, medium_across_gateways() says
    }
    if (core.value_or(own) != own) {
      throw std::runtime_error(role == AirRole::kNone
                                   ? "hot_loop.cores: robots whose radios share a medium are on different cores; put "
                                     "their ports on one"
                                   : "hot_loop.cores: robots on one network of access points are on different cores; "
                                     "put their ports on one");
    }
    core = own;
  }
}

}  // namespace hilgate
