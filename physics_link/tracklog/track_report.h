// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "physics_link/tracklog/track_log.h"

namespace hilgate {

/// What a log has, for people: tracks with their positions, times, extents and speeds, the radio, what was left out.
std::string log_report_text(const TrackLog& log);
/// The same for programs.
std::string log_report_json(const TrackLog& log);

}  // namespace hilgate
