// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "frame/counters.h"
#include "gateway/configuration/configuration.h"
#include "gateway/run/simulation/windows.h"
#include "gateway/status/model/window_status.h"

namespace hilgate {

WindowStatus window_status(const Configuration& configuration, const Windows& windows);

/// Where a network simulator judges packet by packet.
VerdictStatus verdict_status(const Windows& windows, const PathTotals& totals);

}  // namespace hilgate
