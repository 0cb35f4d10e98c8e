// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "gateway/configuration/configuration.h"
#include "gateway/run/conditions/condition.h"
#include "gateway/run/simulation/windows.h"

namespace hilgate {

/// External simulators that have not connected or do not answer, and robots whose positions nobody has sent or sends
/// any more.
void find_simulator_conditions(const Configuration& configuration, const Windows& windows, HostTime now,
                               std::vector<Condition>& found);

}  // namespace hilgate
