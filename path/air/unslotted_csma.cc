// SPDX-License-Identifier: Apache-2.0
#include "path/air/unslotted_csma.h"

#include <algorithm>

namespace hilgate {

void UnslottedCsma::head_changed(Transmitter& transmitter) {
  if (!transmitter.transmitting) {
    start_over(transmitter);
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
  return std::max(from + rules_.slot * transmitter.backoff + rules_.cca, idle_from_);
}

bool UnslottedCsma::begins(Transmitter& transmitter, HostTime at) {
  if (transmitter.turns) {
    transmitter.turns = false;
    return true;
  }
  if (!is_busy(transmitter, at - rules_.cca, at)) {
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

void UnslottedCsma::ended(Transmitter& transmitter) {
  transmitter.idle_from += rules_.interframe;
  start_over(transmitter);
}

// An acknowledgement is on the air behind the turn of its sender.
void UnslottedCsma::carrier(std::uint32_t robot, const Transmitter& exchange_of, HostTime at, HostTime until) {
  Transmitter* const sender = transmitters_.of(robot);
  if (sender != nullptr && robot != exchange_of.robot) {
    sender->answers_from = at + rules_.turnaround;
    sender->answers_until = until;
  }
}

bool UnslottedCsma::is_busy(const Transmitter& transmitter, HostTime from, HostTime until) const {
  for (const std::uint32_t member : members()) {
    const Transmitter& other = transmitters_[member];
    const bool sends = other.on_air_since < until && other.on_air_until > from;
    const bool answers = other.answers_from < until && other.answers_until > from;
    if ((&other != &transmitter && sends && hears(other.robot, transmitter.robot)) ||
        (answers && (&other == &transmitter || hears(other.robot, transmitter.robot)))) {
      return true;
    }
  }
  return false;
}

}  // namespace hilgate
