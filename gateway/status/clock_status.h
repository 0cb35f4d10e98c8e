// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "gateway/run/simulation/windows.h"
#include "gateway/run/time/run_clock.h"
#include "gateway/run/time/time_server.h"

namespace hilgate {

/// The section `clock` of `hilgate status`. `tsc_error`: host time through the TSC against CLOCK_MONOTONIC.
nlohmann::ordered_json clock_status(const RunClock& clock, const TimeServer& server, const Windows& windows,
                                    Nanoseconds tsc_error);

/// The same for people, one fact a line.
std::string clock_text(const nlohmann::ordered_json& clock);

}  // namespace hilgate
