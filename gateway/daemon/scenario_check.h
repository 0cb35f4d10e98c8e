// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "gateway/configuration/configuration.h"
#include "gateway/configuration/document/config_document.h"
#include "gateway/configuration/known_names.h"

namespace hilgate {

/// Whether the steps of the scenario, where there is one, can be carried out one after the other: what they set is a
/// good configuration, and may change at run time. Throws ConfigError with the lines of those that cannot.
void check_scenario(const Configuration& configuration, const KnownNames& known);

/// The same for another scenario on an active run, as requested by operators: faults in files other than the
/// configuration's own are left out. Throws std::runtime_error for a scenario with more changes than are checked while
/// a run waits.
void check_scenario_on(const Configuration& running, const ConfigDocument& document, const Scenario& scenario,
                       const KnownNames& known);

/// What the steps of a scenario that check_scenario() finds good make of the configuration, one after the other, where
/// they may name other files or robots; steps of links and tracks alone do not. Waypoints may be left out.
std::vector<Configuration> scenario_configurations(const Configuration& configuration, const KnownNames& known);

}  // namespace hilgate
