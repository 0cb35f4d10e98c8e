// SPDX-License-Identifier: Apache-2.0
// What `hilgate status` shows of access points and their stations. Nothing without infrastructure mode.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "gateway/status/status_report.h"

namespace hilgate {

/// Null without infrastructure mode.
nlohmann::ordered_json stations_status(const StatusInputs& inputs);
nlohmann::ordered_json access_points_status(const StatusInputs& inputs);

/// Adds access points, and robots at them, to the list of media.
void add_access_points(const StatusInputs& inputs, nlohmann::ordered_json& media);

/// The table of stations for people; empty without any.
std::string stations_text(const nlohmann::ordered_json& status);

}  // namespace hilgate
