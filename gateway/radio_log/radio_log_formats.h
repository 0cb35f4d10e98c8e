// SPDX-License-Identifier: Apache-2.0
// The formats of radio logs other than tables, each read by a file of its own; read_radio_log() chooses among them.
#pragma once

#include <string_view>

#include "gateway/radio_log/radio_log.h"
#include "physics_link/tracklog/track_log.h"

namespace hilgate {

inline constexpr double kLowestAntenna = 0.1;  // m above the ground: path loss models have no lower ones

/// A row for each RADIO_STATUS of a log whose vehicle had a place then. Levels are those of SiK's scale
/// (physics_link/mavlink/messages.h); 0 and 255 are none. Throws ConfigError for a log without RADIO_STATUS, and as
/// StationTrack.
MeasuredLog vehicle_rows(const TrackLog& log, const RadioLogOptions& options);

/// Whether it is what `iperf3 -J` prints.
bool is_iperf_log(std::string_view content);

/// A row for each interval of `iperf3 -J` whose vehicle had a place then: the rate, and of UDP at the receiver what was
/// lost. There are no levels. `positions` has UTC, or its clock began at RadioLogOptions::positions_zero. Throws
/// ConfigError.
MeasuredLog iperf_rows(std::string_view content, const TrackLog& positions, const RadioLogOptions& options);

/// A row for each second and link of a record: distance, mean level of the link's states, and what the link has
/// released and lost by its radio. A path for each link. Throws as read_record(), and ConfigError for a record without
/// positions or radios and for a link that it has not.
MeasuredLog recorded_rows(const RadioLogOptions& options);

}  // namespace hilgate
