// SPDX-License-Identifier: Apache-2.0
#include "gateway/medium/tdma.h"

#include <algorithm>

namespace hilgate {
namespace {

// When the station of slot `slot`, of `slots`, may put `length` on the air, not before `from`.
HostTime in_slot(const AirDomain& rules, std::int64_t slot, std::int64_t slots, HostTime from, Nanoseconds length) {
  const Nanoseconds each = rules.tdma_slot + rules.tdma_guard;
  const Nanoseconds round = each * slots;
  const Nanoseconds own = each * slot;
  const Nanoseconds passed = ((from.time_since_epoch() - own) % round + round) % round;
  const bool fits = passed + length <= rules.tdma_slot;
  return fits || passed.count() == 0 ? from : from + (round - passed);
}

Nanoseconds fragment_time(const AirJob& job) {
  return Nanoseconds{(job.air_time.count() + job.fragments - 1) / job.fragments};
}

}  // namespace

HostTime Tdma::access_of(std::size_t member) const {
  const Transmitter& transmitter = transmitters_[members()[member]];
  const AirJob& head = transmitters_.head(transmitter);
  return in_slot(rules_, static_cast<std::int64_t>(member), static_cast<std::int64_t>(members().size()),
                 std::max(transmitter.idle_from, head.arrived), fragment_time(head));
}

HostTime Tdma::next_event() const {
  HostTime next = HostTime::max();
  for (std::size_t member = 0; member < members().size(); ++member) {
    if (!transmitters_[members()[member]].empty()) {
      next = std::min(next, access_of(member));
    }
  }
  return next;
}

bool Tdma::step(HostTime now) {
  for (std::size_t member = 0; member < members().size(); ++member) {
    Transmitter& transmitter = transmitters_[members()[member]];
    if (transmitter.empty()) {
      continue;
    }
    const HostTime at = access_of(member);
    if (at > now) {
      continue;
    }
    AirJob& head = transmitters_.head(transmitter);
    const Nanoseconds fragment = fragment_time(head);
    transmitter.idle_from = at + fragment;
    add_busy(fragment);
    if (++transmitter.fragments_sent == head.fragments) {
      transmitter.fragments_sent = 0;
      transmitter.idle_from += head.ack;
      head.on_air = true;
      exchanges_.end(transmitter, at + fragment, AirOutcome::kClean);
    }
    return true;
  }
  return false;
}

}  // namespace hilgate
