// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "gateway/configuration/configuration.h"
#include "gateway/run/conditions/condition.h"
#include "path/site_report.h"

namespace hilgate {

/// Gateways that are not one air with this one, and whose robots are unreachable for that.
void find_site_conditions(const Configuration& configuration, const SiteReport& site, std::vector<Condition>& found);

/// This gateway begins anew as others, beside whose simulation its own began.
Condition rejoining_condition(const Configuration& configuration, const SiteRejoining& rejoining);

}  // namespace hilgate
