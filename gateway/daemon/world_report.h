// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "gateway/configuration/configuration.h"
#include "rf_profiles/survey/surveyed_floors.h"

namespace hilgate {

/// What of the world the configuration says, in metres and seconds, for who draws it: obstacles, waypoints, radios; and
/// which materials are built in, and what drop reasons mean.
/// `floors`: whose walls are reported; null: without.
nlohmann::ordered_json world_report(const Configuration& configuration, const SurveyedFloors* floors);

}  // namespace hilgate
