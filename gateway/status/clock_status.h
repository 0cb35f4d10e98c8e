// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "gateway/run/simulation/windows.h"
#include "gateway/run/time/run_clock.h"
#include "gateway/run/time/time_server.h"
#include "gateway/status/model/clock_status.h"

namespace hilgate {

/// `tsc_error`: host time through the TSC against CLOCK_MONOTONIC.
ClockReportStatus clock_status(const RunClock& clock, const TimeServer& server, const Windows& windows,
                               Nanoseconds tsc_error);

/// The same for people, one fact a line.
std::string clock_text(const StatusJson& clock);

}  // namespace hilgate
