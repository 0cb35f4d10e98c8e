// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "gateway/radio_log/radio_log.h"
#include "physics_link/tracklog/track_log.h"

namespace hilgate {

/// Whether it is what `iperf3 -J` prints.
bool is_iperf_log(std::string_view content);

/// A row for each interval of `iperf3 -J` whose vehicle had a place then: the rate, and of UDP at the receiver what was
/// lost. There are no levels. `positions` has UTC, or its clock began at RadioLogOptions::positions_zero. Throws
/// ConfigError.
MeasuredLog iperf_rows(std::string_view content, const TrackLog& positions, const RadioLogOptions& options);

}  // namespace hilgate
