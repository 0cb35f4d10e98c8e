// SPDX-License-Identifier: Apache-2.0
// What a frame's fate makes of its time on the air.
#pragma once

#include <cstdint>

#include "path/air/medium.h"
#include "path/fate/fate.h"
#include "rf_profiles/phy/phy_mode.h"

namespace hilgate {

/// Times and tries of a job whose length is set, for a frame that may be sent `tries` times; 1 without acknowledgement.
inline void shape(AirJob& job, const PhyMode& mode, const Fate& fate, std::uint32_t tries, bool group,
                  float probing_ns = 0) {
  job.fragments = mode.fragments(job.length);
  job.air_time = mode.air_time(job.length);
  job.ack = group ? Nanoseconds{0} : mode.ack;
  job.failing_tries = group ? 0 : fate.failing_tries;
  job.tries_left = tries;
  job.probing = Nanoseconds{group ? 0 : static_cast<std::int64_t>(probing_ns)};
  job.air_time += job.probing;
  if (fate.fragments_sent > 0) {
    // Fragments are repeated one by one, each with its acknowledgement: for the medium they are one long transmission.
    const Nanoseconds fragment{(job.air_time.count() + job.fragments - 1) / job.fragments};
    job.fragments = fate.fragments_sent;
    job.air_time = fragment * job.fragments + job.ack * (job.fragments - 1);
    job.failing_tries = fate.lost ? 1 : 0;
    job.tries_left = fate.lost ? 1 : tries;
  }
}

}  // namespace hilgate
