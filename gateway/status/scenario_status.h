// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "gateway/configuration/scenario/scenario_player.h"

namespace hilgate {

/// What the status document has under `scenario`. `begin`: of the run's time; `asked`: it was started while the run
/// went on, which goes on behind its end.
nlohmann::ordered_json scenario_status(const ScenarioPlayer& player, SimTime begin, bool asked);

}  // namespace hilgate
