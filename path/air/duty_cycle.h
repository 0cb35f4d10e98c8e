// SPDX-License-Identifier: Apache-2.0
// Duty cycle: a budget of time on the air that fills up with `share` of the time that passes, and holds no more than a
// period's. Does nothing at share 1.
#pragma once

#include <cmath>

#include "clock/time.h"
#include "netsim_link/air_plan.h"
#include "path/air/transmitter.h"

namespace hilgate {

/// Time on the air that a full budget holds.
inline Nanoseconds full_budget(const DutyCycle& duty) {
  return Nanoseconds{std::llround(duty.share * static_cast<double>(duty.period.count()))};
}

/// When, not before `at`, the budget has `length`. What is longer than a whole budget goes when the budget is full.
HostTime within_spent_budget(const Transmitter& transmitter, HostTime at, Nanoseconds length);
inline HostTime within_budget(const Transmitter& transmitter, HostTime at, Nanoseconds length) {
  const bool now = transmitter.station.duty.share >= 1 || length <= transmitter.credit;
  return now ? at : within_spent_budget(transmitter, at, length);
}

/// Takes `length` from the budget at `at`.
void spend(Transmitter& transmitter, HostTime at, Nanoseconds length);

}  // namespace hilgate
