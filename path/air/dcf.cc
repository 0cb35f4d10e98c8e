// SPDX-License-Identifier: Apache-2.0
#include "path/air/dcf.h"

#include <algorithm>
#include <cassert>
#include <span>

namespace hilgate {

void Dcf::reserve(std::size_t most) {
  AccessMethod::reserve(most);
  winners_.reserve(most);
}

HostTime Dcf::access_of(const Transmitter& transmitter) const {
  const HostTime counted_down = idle_from_ + ifs_of(transmitter, rules_) + rules_.slot * transmitter.backoff;
  return std::max(counted_down, transmitters_.head(transmitter).arrived);
}

HostTime Dcf::next_event() const {
  return first_access([this](const Transmitter& transmitter) { return access_of(transmitter); });
}

// The stations whose backoff ends first transmit: one alone, or several that collide.
bool Dcf::step(HostTime now) {
  const std::span<Transmitter> transmitters = transmitters_.all();
  HostTime earliest = HostTime::max();
  for (const std::uint32_t member : members()) {
    const Transmitter& transmitter = transmitters[member];
    if (transmitter.empty()) {
      continue;
    }
    const HostTime access = access_of(transmitter);
    if (access < earliest) {
      earliest = access;
      winners_.clear();
    }
    if (access == earliest) {
      winners_.push_back(member);
    }
  }
  if (earliest > now) {
    winners_.clear();
    return false;
  }
  count_down_all(earliest);
  if (winners_.size() == 1) {
    transmit(transmitters[winners_.front()], earliest);
  } else {
    collide(earliest);
  }
  winners_.clear();
  for (const std::uint32_t member : members()) {
    defer_if_busy(transmitters[member], idle_from_);
  }
  return true;
}

void Dcf::count_down_all(HostTime until) {
  assert(until >= idle_from_ + rules_.difs);  // nobody has access earlier
  const std::span<Transmitter> transmitters = transmitters_.all();
  for (const std::uint32_t member : members()) {
    Transmitter& transmitter = transmitters[member];
    const Nanoseconds idle = until - (idle_from_ + ifs_of(transmitter, rules_));
    count_down(transmitter, slots_in(idle, rules_));
  }
}

void Dcf::collide(HostTime at) {
  Nanoseconds longest{0};
  for (const std::uint32_t winner : winners_) {
    Transmitter& transmitter = transmitters_[winner];
    const AirExchange exchange = exchanges_.begin(transmitter, at);
    longest = std::max(longest, exchange.until_timeout());
    end_later(transmitter, at + exchange.until_timeout(), [&] {
      exchanges_.end(transmitter, at + (exchange.has_rts() ? exchange.rts : exchange.frame), AirOutcome::kCollision);
    });
  }
  occupy(at, longest);
}

}  // namespace hilgate
