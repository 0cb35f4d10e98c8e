// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gateway/configuration/scenario/scenario_player.h"
#include "gateway/status/model/scenario_status.h"

namespace hilgate {

/// `begin`: of the run's time; `asked`: the scenario was requested
/// during the run, which continues after its end.
ScenarioStatus scenario_status(const ScenarioPlayer& player, SimTime begin, bool asked);

}  // namespace hilgate
