// SPDX-License-Identifier: Apache-2.0
#include "clock/ptp/best_master.h"

#include <algorithm>
#include <tuple>

namespace hilgate {

bool is_better_master(const PtpAnnounce& a, const PtpAnnounce& b) {
  const auto rank = [](const PtpAnnounce& c) {
    return std::make_tuple(c.priority1, c.clock_class, c.accuracy, c.variance, c.priority2, c.grandmaster);
  };
  return rank(a) < rank(b);
}

void ForeignMasters::heard(HostTime now, const PortIdentity& source, const PtpAnnounce& announce) {
  const auto same = [&](const Foreign& foreign) { return foreign.source == source; };
  if (const auto found = std::find_if(known_.begin(), known_.end(), same); found != known_.end()) {
    found->before = found->last;
    found->last = now;
    found->announce = announce;
    return;
  }
  if (known_.size() == kMost) {
    const auto older = [](const Foreign& a, const Foreign& b) { return a.last < b.last; };
    known_.erase(std::min_element(known_.begin(), known_.end(), older));
  }
  known_.push_back({source, announce, now, std::nullopt});
}

bool ForeignMasters::qualifies(const Foreign& foreign, HostTime now) const {
  return foreign.before && foreign.last - *foreign.before <= window_ && now - foreign.last <= window_;
}

std::optional<PtpAnnounce> ForeignMasters::best(HostTime now) const {
  std::optional<PtpAnnounce> best;
  for (const Foreign& foreign : known_) {
    if (qualifies(foreign, now) && (!best || is_better_master(foreign.announce, *best))) {
      best = foreign.announce;
    }
  }
  return best;
}

std::size_t ForeignMasters::qualified(HostTime now) const {
  return static_cast<std::size_t>(
      std::count_if(known_.begin(), known_.end(), [&](const Foreign& foreign) { return qualifies(foreign, now); }));
}

}  // namespace hilgate
