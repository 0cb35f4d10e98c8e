// SPDX-License-Identifier: Apache-2.0
// Small rules of media that several ways of access share.
#pragma once

#include <cmath>
#include <cstdint>

#include "clock/time.h"
#include "netsim_link/air_plan.h"

namespace hilgate {

/// Keeps stations' draws apart from links' draws, which use their LinkId as stream.
inline constexpr std::uint32_t kStationStream = 0x8000'0000;

/// Whole slots in an idle time; radios without slots have none to count.
inline std::int64_t slots_in(Nanoseconds idle, const AirDomain& rules) {
  return rules.slot.count() > 0 ? idle / rules.slot : 0;
}

/// Time on the air that a full budget holds.
inline Nanoseconds budget(const DutyCycle& duty) {
  return Nanoseconds{std::llround(duty.share * static_cast<double>(duty.period.count()))};
}

}  // namespace hilgate
