// SPDX-License-Identifier: Apache-2.0
// The state of the clock for people and for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "clock/clock_events.h"
#include "clock/servo/disciplined_clock.h"

namespace hilgate {

/// A few lines, one fact each.
std::string to_text(const ClockStatus& status, const ClockEvents& events);
/// The same as one JSON object on one line.
std::string to_json(const ClockStatus& status, const ClockEvents& events);

/// Heading and line of `hilgate clock trace`. Host and wall time in ns, so that a trace can be fed to the servo again.
std::string trace_heading();
std::string trace_line(const DisciplinedClock& clock, HostTime now);

}  // namespace hilgate
