// SPDX-License-Identifier: Apache-2.0
#include "gateway/medium/round_robin.h"

#include <algorithm>

namespace hilgate {

HostTime RoundRobin::access_time(std::size_t member) const {
  return std::max(idle_from_ + rules_.difs, transmitters_.head(transmitters_[members()[member]]).arrived);
}

bool RoundRobin::step(HostTime now) {
  HostTime earliest = HostTime::max();
  std::size_t chosen = 0;
  const std::size_t count = members().size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t member = (next_ + i) % count;
    if (transmitters_[members()[member]].empty()) {
      continue;
    }
    const HostTime access = RoundRobin::access_time(member);
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
