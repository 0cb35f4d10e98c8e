// SPDX-License-Identifier: Apache-2.0
#include "path/air/round_robin.h"

#include <algorithm>

namespace hilgate {

HostTime RoundRobin::access_of(const Transmitter& transmitter) const {
  return std::max(idle_from_ + rules_.difs, transmitters_.head(transmitter).arrived);
}

HostTime RoundRobin::next_event() const {
  return first_access([this](const Transmitter& transmitter) { return access_of(transmitter); });
}

bool RoundRobin::step(HostTime now) {
  HostTime earliest = HostTime::max();
  std::size_t chosen = 0;
  const std::size_t count = members().size();
  std::size_t member = next_ < count ? next_ : 0;
  for (std::size_t i = 0; i < count; ++i, member = member + 1 < count ? member + 1 : 0) {
    const Transmitter& transmitter = transmitters_[members()[member]];
    if (transmitter.empty()) {
      continue;
    }
    const HostTime access = access_of(transmitter);
    if (access < earliest) {
      earliest = access;
      chosen = member;
    }
  }
  if (earliest > now) {
    return false;
  }
  transmit(transmitters_[members()[chosen]], earliest);
  next_ = (chosen + 1) % count;
  return true;
}

}  // namespace hilgate
