// SPDX-License-Identifier: Apache-2.0
#include "path/air/duty_cycle.h"

#include <algorithm>

namespace hilgate {

HostTime within_spent_budget(const Transmitter& transmitter, HostTime at, Nanoseconds length) {
  const DutyCycle& duty = transmitter.station.duty;
  const Nanoseconds missing = std::min(length, full_budget(duty)) - transmitter.credit;
  const double wait = std::ceil(static_cast<double>(missing.count()) / duty.share);
  return std::max(at, transmitter.credit_at + Nanoseconds{static_cast<std::int64_t>(wait)});
}

void spend(Transmitter& transmitter, HostTime at, Nanoseconds length) {
  const DutyCycle& duty = transmitter.station.duty;
  if (duty.share < 1) {
    const double earned = duty.share * static_cast<double>((at - transmitter.credit_at).count());
    const auto most = static_cast<double>(full_budget(duty).count());
    const double now = std::min(most, static_cast<double>(transmitter.credit.count()) + earned);
    transmitter.credit = Nanoseconds{static_cast<std::int64_t>(now)} - length;
    transmitter.credit_at = at;
  }
}

}  // namespace hilgate
