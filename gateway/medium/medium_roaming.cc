// SPDX-License-Identifier: Apache-2.0
// Stations of access points, which are in no domain, or in that of their access point; and events in the order of time
// over all domains, because frames go from one transmission to the next. Does nothing without infrastructure mode.
//
// A station that comes begins as one whose queue was empty: least contention window, no backoff but for a busy medium
// (IEEE 802.11-2020, 10.3.4.3). What overlaps when it goes begins again where it comes.
#include <algorithm>

#include "gateway/medium/medium.h"

namespace hilgate {

void Medium::leave(RobotId station, HostTime now) {
  const std::uint32_t index = contender_of_[station.value()];
  Contender& contender = contenders_[index];
  Domain& domain = domains_[contender.domain];
  const auto place = std::lower_bound(domain.members.begin(), domain.members.end(), index);
  if (place != domain.members.end() && *place == index) {
    const auto turn = static_cast<std::uint32_t>(place - domain.members.begin());
    domain.next_turn -= turn < domain.next_turn ? 1 : 0;
    domain.members.erase(place);
    // Its last frame may still be on the air.
    contender.idle_from = std::max({contender.idle_from, domain.idle_from, now});
  }
  contender.sending = false;
  contender.announcing = false;
  contender.reserved_until = HostTime{};
  contender.met.clear();
  contender.pieces_sent = 0;
  contender.backing_off = false;
  contender.backoff = 0;
  for (NodeIndex node = contender.head; node != kNoNode; node = jobs_[node].next) {
    jobs_[node].on_air = false;
  }
}

void Medium::enter(Contender& station, std::uint32_t domain, HostTime now) {
  Domain& home = domains_[domain];
  const auto index = static_cast<std::uint32_t>(&station - contenders_.data());
  const auto place = std::lower_bound(home.members.begin(), home.members.end(), index);
  if (place == home.members.end() || *place != index) {
    const auto turn = static_cast<std::uint32_t>(place - home.members.begin());
    home.next_turn += turn < home.next_turn ? 1 : 0;
    home.members.insert(place, index);
  }
  station.domain = domain;
  station.window = home.rules.cw_min;
  station.idle_from = std::max(station.idle_from, now);
}

// When the head of the member at `place` may go on the air, as things stand.
HostTime Medium::access_of(const Domain& domain, std::size_t place) const {
  const Contender& station = contenders_[domain.members[place]];
  switch (domain.rules.access) {
    case AirAccess::kOverlap:
      return overlap_access(domain, station);
    case AirAccess::kTurns:
      return turn_access(domain, place);
    case AirAccess::kGranted:
      return granted_access(domain, station);
    case AirAccess::kContention:
      break;
  }
  return access_time(domain, station);
}

HostTime Medium::next_event(const Domain& domain) const {
  HostTime next = HostTime::max();
  for (std::size_t place = 0; place < domain.members.size(); ++place) {
    const Contender& station = contenders_[domain.members[place]];
    if (station.sending) {
      next = std::min(next, station.on_air_until);
    } else if (station.head != kNoNode) {
      next = std::min(next, access_of(domain, place));
    }
  }
  return next;
}

HostTime Medium::next_event() const {
  HostTime next = HostTime::max();
  for (const Domain& domain : domains_) {
    next = std::min(next, next_event(domain));
  }
  return next;
}

Medium::Domain* Medium::first_domain(HostTime limit) {
  Domain* first = nullptr;
  for (Domain& domain : domains_) {
    const HostTime next = next_event(domain);
    if (next <= limit && next != HostTime::max()) {
      first = &domain;
      limit = next - Nanoseconds{1};
    }
  }
  return first;
}

}  // namespace hilgate
