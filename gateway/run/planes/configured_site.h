// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "gateway/configuration/configuration.h"
#include "gateway/site/site_terms.h"
#include "netsim_link/air_plan.h"

namespace hilgate {

/// What a gateway of a site goes by. Requires own_gateway(). Throws std::runtime_error where its key cannot be read.
SiteTerms site_terms(const Configuration& configuration);

/// By robot, the gateway of its port. Requires a site.
std::vector<std::uint32_t> gateways_of_robots(const Configuration& configuration);

/// Media whose stations are at several gateways, unless the site has these contend apart; or what a network simulator
/// decides that may be at any of them. Requires a site.
SharedMedia shared_media(const Configuration& configuration, const AirPlan& air);

}  // namespace hilgate
