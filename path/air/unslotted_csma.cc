// SPDX-License-Identifier: Apache-2.0
#include "path/air/unslotted_csma.h"

#include <algorithm>

namespace hilgate {

void UnslottedCsma::head_changed(Transmitter& transmitter) {
  if (!transmitter.transmitting) {
    start_over(transmitter);
    schedule(transmitter);
  }
}

void UnslottedCsma::start_over(Transmitter& transmitter) {
  transmitter.contention_window = rules_.cw_min;
  transmitter.busy_looks = 0;
  transmitter.turns = false;
  transmitters_.draw_backoff(transmitter);
}

// The end of a look at the medium, or of the turn to transmit.
HostTime UnslottedCsma::access_of(const Transmitter& transmitter) const {
  if (transmitter.turns) {
    return transmitter.turned_at;
  }
  const HostTime from = std::max(transmitter.idle_from, transmitters_.head(transmitter).arrived);
  return from + rules_.slot * transmitter.backoff + rules_.cca;
}

bool UnslottedCsma::begins(Transmitter& transmitter, HostTime at) {
  if (transmitter.turns) {
    transmitter.turns = false;
    return true;
  }
  if (!is_busy(transmitter, at)) {
    transmitter.turns = true;
    transmitter.turned_at = at + rules_.turnaround;
  } else if (++transmitter.busy_looks > rules_.most_busy) {
    give_up(transmitter, at);
  } else {
    transmitter.contention_window = std::min(2 * transmitter.contention_window + 1, rules_.cw_max);
    transmitter.idle_from = at;
    transmitters_.draw_backoff(transmitter);
  }
  return false;
}

void UnslottedCsma::give_up(Transmitter& transmitter, HostTime at) {
  AirJob& head = transmitters_.head(transmitter);
  head.done = true;
  if (!head.received) {
    head.lost = DropReason::kChannelBusy;
  }
  transmitters_.hand_over_received(transmitter, head.to, at);
  transmitter.idle_from = at;
  start_over(transmitter);
}

// The station waits a backoff period longer than an acknowledgement takes (macAckWaitDuration, table 8-94).
void UnslottedCsma::ended(Transmitter& transmitter, bool succeeded) {
  transmitter.idle_from += succeeded ? rules_.interframe : rules_.slot;
  start_over(transmitter);
}

// Between a frame and its acknowledgement the medium is idle while the receiver turns: who looks then finds it so, and
// transmits into the acknowledgement.
void UnslottedCsma::note_beginning(const Transmitter& exchange_of, HostTime from, HostTime until,
                                   std::vector<Overlap>& overlaps) const {
  const HostTime ended = exchange_of.on_air_until;
  for (const std::uint32_t member : members()) {
    const Transmitter& other = transmitters_[member];
    if (&other == &exchange_of || other.transmitting || other.empty() || overlaps.size() == overlaps.capacity()) {
      continue;
    }
    const HostTime looked = access_of(other);
    const bool finds_idle = looked > ended && looked <= from;
    const HostTime begins = other.turns ? other.turned_at : looked + rules_.turnaround;
    if ((other.turns || finds_idle) && begins < until) {
      overlaps.push_back({other.robot, transmitters_.head(other).mode, ended, ended + Nanoseconds{1}});
    }
  }
}

bool UnslottedCsma::is_busy(const Transmitter& transmitter, HostTime at) const {
  for (const std::uint32_t member : members()) {
    const Transmitter& other = transmitters_[member];
    const bool sends = other.on_air_since < at && other.on_air_until >= at;
    const bool answers = other.answers_from < at && other.answers_until >= at;
    if ((&other != &transmitter && sends && hears(other.robot, transmitter.robot)) ||
        (answers && (&other == &transmitter || hears(other.robot, transmitter.robot)))) {
      return true;
    }
  }
  return false;
}

}  // namespace hilgate
