// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "gateway/configuration/scenario/scenario_player.h"

namespace hilgate {

/// The section `scenario` of the status document. `begin`: of the run's time; `asked`: the scenario was requested
/// during the run, which continues after its end.
nlohmann::ordered_json scenario_status(const ScenarioPlayer& player, SimTime begin, bool asked);

}  // namespace hilgate
