// SPDX-License-Identifier: Apache-2.0
#include "path/air/access_method.h"

#include <algorithm>

#include "path/air/access_methods.h"

namespace hilgate {

void AccessMethod::leave(Transmitter& transmitter, HostTime now) {
  const std::uint32_t index = transmitters_.index_of(transmitter);
  const auto member = std::lower_bound(members_.begin(), members_.end(), index);
  if (member != members_.end() && *member == index) {
    member_left(static_cast<std::size_t>(member - members_.begin()));
    number_members(static_cast<std::size_t>(members_.erase(member) - members_.begin()));
    transmitter.place = Transmitter::kNoPlace;
    // Its last frame may still be on the air.
    transmitter.idle_from = std::max({transmitter.idle_from, idle_from_, now});
  }
  transmitter.transmitting = false;
  transmitter.sending_rts = false;
  transmitter.nav_until = HostTime{};
  transmitter.interferers.clear();
  transmitter.follows = {};
  transmitter.turns = false;
  transmitter.keeps_medium = false;
  transmitter.fragments_sent = 0;
  transmitter.backing_off = false;
  transmitter.backoff = 0;
  for (NodeIndex node = transmitter.head; node != kNoNode; node = transmitters_.job(node).next) {
    transmitters_.job(node).on_air = false;
  }
}

void AccessMethod::number_members(std::size_t from) {
  for (std::size_t place = from; place < members_.size(); ++place) {
    transmitters_[members_[place]].place = static_cast<std::uint32_t>(place);
  }
  audiences_.members_changed();
}

void AccessMethod::enter(Transmitter& transmitter, HostTime now) {
  const std::uint32_t index = transmitters_.index_of(transmitter);
  const auto member = std::lower_bound(members_.begin(), members_.end(), index);
  if (member == members_.end() || *member != index) {
    member_entered(static_cast<std::size_t>(member - members_.begin()));
    number_members(static_cast<std::size_t>(members_.insert(member, index) - members_.begin()));
  }
  transmitter.contention_window = least_window(transmitter, rules_);
  transmitter.idle_from = std::max(transmitter.idle_from, now);
}

void AccessMethod::continue_from(const AccessMethod& old, const Transmitters& transmitters, const Transmitter& before,
                                 Transmitter& transmitter) {
  idle_from_ = std::max(idle_from_, old.idle_from_);
  transmitter.contention_window =
      std::clamp(before.contention_window, least_window(transmitter, rules_), most_window(transmitter, rules_));
  transmitter.backing_off = before.backing_off;
  transmitter.backoff = before.backoff;
  transmitter.draws = before.draws;
  transmitter.radio_frames = before.radio_frames;
  transmitter.idle_from = std::max(before.idle_from, old.idle_from_);
  transmitter.credit = std::min(before.credit, full_budget(transmitter.station.duty));
  transmitter.credit_at = before.credit_at;
  jobs_removed(transmitter);
  if (!old.members_.empty() && old.members_.front() == transmitters.index_of(before)) {  // once for each domain
    add_busy(old.busy());
    exchanges_.add_acks_lost(old.acks_lost());
  }
}

void AccessMethod::transmit(Transmitter& transmitter, HostTime at) {
  const AirExchange exchange = exchanges_.begin(transmitter, at);
  if (exchange.has_rts() && exchanges_.noise_takes_rts(transmitter)) {
    occupy(at, exchange.until_timeout());
    exchanges_.end(transmitter, at + exchange.rts, AirOutcome::kNoCts);
    return;
  }
  occupy(at, exchange.length());
  end_later(transmitter, at + exchange.length(),
            [&] { exchanges_.end(transmitter, at + exchange.before_frame() + exchange.frame, AirOutcome::kClean); });
}

void AccessMethod::occupy(HostTime from, Nanoseconds length) {
  idle_from_ = from + length;
  add_busy(length);
}

}  // namespace hilgate
