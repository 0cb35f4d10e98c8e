// SPDX-License-Identifier: Apache-2.0
// A cell whose base station grants the air (LTE: 3GPP TS 36.321, 5.3 and 5.4; NR: TS 38.321), one frame after the other
// and without collisions. Who waits and has had the least time on the air is next, so that users who always have
// something to send get equal shares of it, each at its own rate: what a round robin over resource blocks gives, and
// proportional fairness where rates do not change (start-time fair queueing, Goyal, Vin and Cheng 1997). Who had
// nothing to send does not save up.
//
// A base station's frames are shared out by their receivers, and users' frames by their senders. In one domain for both
// ways (TDD) a frame from user to user takes the air twice, up and down; else (FDD) its way down is another domain's,
// which is as long and not counted. Within a frame's time the whole band is its own: what goes by blocks of a
// millisecond side by side goes one after the other here.
#include <algorithm>

#include "gateway/medium/medium.h"

namespace hilgate {

HostTime Medium::granted_access(const Domain& domain, const Contender& station) const {
  return std::max(domain.idle_from + domain.rules.difs, jobs_[station.head].arrived);
}

bool Medium::grant(Domain& domain, HostTime now) {
  HostTime earliest = HostTime::max();
  for (const std::uint32_t member : domain.members) {
    const Contender& station = contenders_[member];
    if (station.head != kNoNode) {
      earliest = std::min(earliest, granted_access(domain, station));
    }
  }
  if (earliest > now) {
    return false;
  }
  Contender* chosen = nullptr;
  for (const std::uint32_t member : domain.members) {
    Contender& station = contenders_[member];
    const bool waits = station.head != kNoNode && jobs_[station.head].arrived <= earliest;
    if (waits && (chosen == nullptr || station.granted < chosen->granted)) {
      chosen = &station;
    }
  }
  const std::uint32_t to = jobs_[chosen->head].to;
  const std::uint32_t receiver = to < contender_of_.size() ? contender_of_[to] : kNone;
  const bool with_base = chosen->rules.base || (receiver != kNone && contenders_[receiver].rules.base);
  const int passes = domain.rules.both_ways && !with_base ? 2 : 1;

  const Exchange exchange = begin_exchange(*chosen);
  domain.granted = chosen->granted;
  chosen->granted += exchange.length() * passes;
  occupy(domain, earliest, exchange.length() * passes);
  end_exchange(*chosen, domain, earliest + exchange.frame * passes, Outcome::kClean);
  return true;
}

}  // namespace hilgate
