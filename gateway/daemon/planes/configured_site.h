// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "gateway/configuration/configuration.h"
#include "gateway/site/site_terms.h"
#include "netsim_link/air_plan.h"

namespace hilgate {

/// What a gateway of a site goes by. Requires own_gateway(). Throws std::runtime_error where its key cannot be read.
SiteTerms site_terms(const Configuration& configuration);

/// Which medium has radios at several gateways of a site that refuses that, for people; empty: none.
std::string medium_across_gateways(const Configuration& configuration, const AirPlan& air);

}  // namespace hilgate
