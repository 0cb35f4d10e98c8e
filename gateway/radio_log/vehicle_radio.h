// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gateway/radio_log/radio_log.h"
#include "physics_link/tracklog/track_log.h"

namespace hilgate {

/// A row for each RADIO_STATUS of a log whose vehicle had a place then. Levels are those of SiK's scale
/// (physics_link/mavlink/sik_scale.h); 0 and 255 are none. Throws ConfigError for a log without RADIO_STATUS, and as
/// StationTrack.
MeasuredLog vehicle_rows(const TrackLog& log, const RadioLogOptions& options);

}  // namespace hilgate
