// SPDX-License-Identifier: Apache-2.0
// What ports of every kind report about when their frames leave.
#pragma once

#include "frame/departures/port_stamps.h"
#include "path/data_plane.h"

namespace hilgate {

inline ReleaseTimestamps timestamps_of(const StampStatistics& stamps) {
  return {.source = stamps.source == StampSource::kDriver   ? "driver"
                    : stamps.source == StampSource::kKernel ? "kernel"
                                                            : "none",
          .problem = stamps.problem,
          .requested = stamps.totals.requested,
          .missing = stamps.totals.missing,
          .unusable = stamps.totals.unusable,
          .early = stamps.totals.early,
          .latest = stamps.totals.latest,
          .margin = stamps.margin,
          .errors = stamps.totals.errors,
          .send_on_timestamp = {}};
}

inline PortLaunchTime launch_time_of(const StampStatistics& stamps) {
  const LaunchReport& launches = stamps.launches;
  return {.used = launches.used,
          .lead = launches.lead,
          .late = launches.late,
          .early = launches.early,
          .missing = launches.missing,
          .problem = stamps.launch_problem,
          .unmeasured = stamps.launch_unmeasured,
          .failed = launches.problem != LaunchProblem::kNone && !launches.used};
}

inline const char* release_times_of(const StampStatistics& stamps) {
  return !stamps.launches.used              ? "the packet loop"
         : stamps.launch_unmeasured.empty() ? "the device, by launch times"
                                            : "the device, by launch times, unmeasured";
}

}  // namespace hilgate
