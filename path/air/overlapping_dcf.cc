// SPDX-License-Identifier: Apache-2.0
#include "path/air/overlapping_dcf.h"

#include <algorithm>

#include "path/air/contention.h"

namespace hilgate {

void OverlappingDcf::carrier(std::uint32_t robot, const Transmitter& exchange_of, HostTime at, HostTime until) {
  for (const std::uint32_t member : members()) {
    Transmitter& other = transmitters_[member];
    if (other.transmitting || &other == &exchange_of || !hears(robot, other.robot)) {
      continue;
    }
    const Nanoseconds idle = at - (other.idle_from + rules_.difs);
    if (idle.count() > 0) {
      count_down(other, slots_in(idle, rules_));
    }
    other.idle_from = std::max(other.idle_from, until);
    defer_if_busy(other, other.idle_from);
  }
}

void OverlappingDcf::reserve_medium(const Transmitter& exchange_of, std::uint32_t receiver) {
  const HostTime at = exchange_of.idle_from - (exchange_of.exchange.length() - exchange_of.exchange.rts);
  for (const std::uint32_t member : members()) {
    Transmitter& other = transmitters_[member];
    if (&other != &exchange_of && !other.transmitting &&
        (hears(exchange_of.robot, other.robot) || hears(receiver, other.robot))) {
      other.nav_until = std::max(other.nav_until, exchange_of.idle_from);
    }
  }
  carrier(exchange_of.robot, exchange_of, at, exchange_of.idle_from);
  carrier(receiver, exchange_of, at, exchange_of.idle_from);
}

bool OverlappingDcf::hears(std::uint32_t from, std::uint32_t to) const {
  return transmitters_.signals().power_dbm(from, to) >= rules_.carrier_sense_dbm;
}

}  // namespace hilgate
