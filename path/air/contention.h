// SPDX-License-Identifier: Apache-2.0
// Backoff slots (IEEE 802.11-2020, 10.3.4.3).
#pragma once

#include <algorithm>
#include <cstdint>

#include "clock/time.h"
#include "netsim_link/air_plan.h"
#include "path/air/transmitter.h"

namespace hilgate {

/// Whole slots in an idle time; radios without slots have none to count.
inline std::int64_t slots_in(Nanoseconds idle, const AirDomain& rules) {
  return rules.slot.count() > 0 ? idle / rules.slot : 0;
}

/// Who has nothing to send arrives at zero as well.
inline void count_down(Transmitter& transmitter, std::int64_t idle_slots) {
  transmitter.backing_off = transmitter.backing_off && idle_slots < transmitter.backoff;
  transmitter.backoff -= static_cast<std::uint32_t>(std::min<std::int64_t>(idle_slots, transmitter.backoff));
}

}  // namespace hilgate
