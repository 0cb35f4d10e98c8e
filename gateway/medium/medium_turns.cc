// SPDX-License-Identifier: Apache-2.0
// Media on which stations take turns and never collide. Without windows: one frame each in a circle, with the domain's
// idle time in front. With windows, as SiK's firmware (radio-models 9): every station has a window of its own, a
// silence behind it, and starts a radio frame only if it ends within the window; longer packets go on in later ones.
// The circle begins at the epoch of the host's clock.
#include <algorithm>

#include "gateway/medium/medium.h"

namespace hilgate {
namespace {

// When member `place` of `members` may put `length` on the air, not before `from`.
HostTime in_window(const AirDomain& rules, std::int64_t place, std::int64_t members, HostTime from,
                   Nanoseconds length) {
  const Nanoseconds each = rules.window + rules.silence;
  const Nanoseconds round = each * members;
  const Nanoseconds own = each * place;
  const Nanoseconds passed = ((from.time_since_epoch() - own) % round + round) % round;
  const bool fits = passed + length <= rules.window;
  return fits || passed.count() == 0 ? from : from + (round - passed);
}

}  // namespace

bool Medium::take_turns(Domain& domain, HostTime now) {
  return domain.rules.window.count() > 0 ? take_window_turn(domain, now) : take_frame_turn(domain, now);
}

Nanoseconds Medium::piece_of(const AirJob& job) {
  return Nanoseconds{(job.air_time.count() + job.pieces - 1) / job.pieces};
}

// When the head of the member at `place` may go on the air.
HostTime Medium::turn_access(const Domain& domain, std::size_t place) const {
  const Contender& station = contenders_[domain.members[place]];
  const AirJob& head = jobs_[station.head];
  if (domain.rules.window.count() == 0) {
    return std::max(domain.idle_from + domain.rules.difs, head.arrived);
  }
  return in_window(domain.rules, static_cast<std::int64_t>(place), static_cast<std::int64_t>(domain.members.size()),
                   std::max(station.idle_from, head.arrived), piece_of(head));
}

bool Medium::take_frame_turn(Domain& domain, HostTime now) {
  HostTime earliest = HostTime::max();
  std::size_t chosen = 0;
  const std::size_t members = domain.members.size();
  for (std::size_t i = 0; i < members; ++i) {
    const std::size_t place = (domain.next_turn + i) % members;
    if (contenders_[domain.members[place]].head == kNoNode) {
      continue;
    }
    const HostTime access = turn_access(domain, place);
    if (access < earliest) {
      earliest = access;
      chosen = place;
    }
  }
  if (earliest > now) {
    return false;
  }
  transmit_alone(domain, contenders_[domain.members[chosen]], earliest);
  domain.next_turn = static_cast<std::uint32_t>((chosen + 1) % members);
  return true;
}

bool Medium::take_window_turn(Domain& domain, HostTime now) {
  for (std::size_t place = 0; place < domain.members.size(); ++place) {
    Contender& station = contenders_[domain.members[place]];
    if (station.head == kNoNode) {
      continue;
    }
    const HostTime at = turn_access(domain, place);
    if (at > now) {
      continue;
    }
    AirJob& head = jobs_[station.head];
    const Nanoseconds piece = piece_of(head);
    station.idle_from = at + piece;
    domain.add_busy(piece);
    if (++station.pieces_sent == head.pieces) {
      station.pieces_sent = 0;
      station.idle_from += head.ack;
      head.on_air = true;
      end_exchange(station, domain, at + piece, Outcome::kClean);
    }
    return true;
  }
  return false;
}

}  // namespace hilgate
