// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "gateway/configuration/configuration.h"
#include "gateway/configuration/document/config_document.h"
#include "rf_profiles/survey/surveyed_floors.h"

namespace hilgate {

/// The world of the configuration, in metres, seconds and radians, for who draws it: obstacles, waypoints,
/// radios, fixed access points; and which materials are built in, and what drop reasons mean.
/// What `hilgate set` cannot move (check_change()) has `fixed`, the reason as text.
/// `document`: what `configuration` was read from. `floors`: whose walls are reported; null: without.
nlohmann::ordered_json world_report(const Configuration& configuration, const ConfigDocument& document,
                                    const SurveyedFloors* floors);

}  // namespace hilgate
