// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "frame/counters.h"
#include "gateway/configuration/configuration.h"
#include "gateway/run/simulation/windows.h"

namespace hilgate {

/// The section `window` of `hilgate status`.
nlohmann::ordered_json window_status(const Configuration& configuration, const Windows& windows);

/// And under `verdicts`, where a network simulator judges packet by packet.
nlohmann::ordered_json verdict_status(const Windows& windows, const PathTotals& totals);

}  // namespace hilgate
