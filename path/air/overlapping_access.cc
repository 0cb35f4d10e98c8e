// SPDX-License-Identifier: Apache-2.0
#include "path/air/overlapping_access.h"

#include <algorithm>

#include "path/air/access_methods.h"
#include "path/air/dcf.h"

namespace hilgate {

void OverlappingAccess::reserve(std::size_t most) {
  AccessMethod::reserve(most);
  starting_.reserve(most);
  transmitting_.reserve(most);
  for (Transmitter& transmitter : transmitters_.all()) {
    transmitter.interferers.reserve(most);
  }
}

HostTime OverlappingAccess::access_of(const Transmitter& transmitter) const {
  const AirJob& head = transmitters_.head(transmitter);
  const HostTime counted_down = transmitter.idle_from + ifs_of(transmitter, rules_) + rules_.slot * transmitter.backoff;
  const HostTime access = std::max({counted_down, head.arrived, idle_from_});
  return transmitter.station.duty.drops ? access : within_budget(transmitter, access, head.air_time);
}

HostTime OverlappingAccess::next_event() const {
  HostTime next = HostTime::max();
  for (const std::uint32_t member : members()) {
    const Transmitter& transmitter = transmitters_[member];
    if (transmitter.transmitting) {
      next = std::min(next, transmitter.on_air_until);
    } else if (!transmitter.empty()) {
      next = std::min(next, access_of(transmitter));
    }
  }
  return next;
}

bool OverlappingAccess::step(HostTime now) {
  HostTime next_end = HostTime::max();
  HostTime next_access = HostTime::max();
  std::uint32_t ends = 0;
  for (const std::uint32_t member : members()) {
    const Transmitter& transmitter = transmitters_[member];
    if (transmitter.transmitting) {
      if (transmitter.on_air_until < next_end) {
        next_end = transmitter.on_air_until;
        ends = member;
      }
    } else if (!transmitter.empty()) {
      next_access = std::min(next_access, access_of(transmitter));
    }
  }
  if (std::min(next_end, next_access) > now) {
    return false;
  }
  idle_from_ = std::min(next_end, next_access);
  if (next_end <= next_access) {
    end(transmitters_[ends]);
  } else {
    begin_all(next_access);
  }
  return true;
}

// All that may start at the same instant: none of them hears the others in time.
void OverlappingAccess::begin_all(HostTime at) {
  for (const std::uint32_t member : members()) {
    Transmitter& transmitter = transmitters_[member];
    if (!transmitter.transmitting && !transmitter.empty() && access_of(transmitter) == at &&
        !drop_over_budget(transmitter, at)) {
      starting_.push_back(member);
    }
  }
  for (const std::uint32_t member : starting_) {
    begin(transmitters_[member], at);
  }
  for (const std::uint32_t member : starting_) {
    const Transmitter& transmitter = transmitters_[member];
    carrier(transmitter.robot, transmitter, at, transmitter.idle_from);
  }
  starting_.clear();
}

void OverlappingAccess::begin(Transmitter& transmitter, HostTime at) {
  const AirExchange exchange = exchanges_.begin(transmitter, at);
  transmitter.backoff = 0;
  transmitter.backing_off = false;
  transmitter.exchange = exchange;
  transmitter.sending_rts = exchange.has_rts();
  transmitter.on_air_until = at + (exchange.has_rts() ? exchange.rts : exchange.frame);
  transmitter.interferers.clear();
  for (const std::uint32_t member : members()) {
    Transmitter& other = transmitters_[member];
    if (other.transmitting) {
      transmitter.interferers.push_back(other.robot);
      if (std::find(other.interferers.begin(), other.interferers.end(), transmitter.robot) == other.interferers.end()) {
        other.interferers.push_back(transmitter.robot);
      }
    }
  }
  transmitter.transmitting = true;
  add_busy(exchange.has_rts() ? exchange.rts : exchange.frame + exchange.ack);
  spend(transmitter, at, exchange.frame);
  transmitter.idle_from = at + exchange.until_timeout();
}

void OverlappingAccess::end(Transmitter& transmitter) {
  if (transmitter.sending_rts) {
    return end_rts(transmitter);
  }
  transmitter.transmitting = false;
  const AirJob& head = transmitters_.head(transmitter);
  const bool group = head.to == AirJob::kGroup;
  AirOutcome outcome = AirOutcome::kClean;
  const Sent frame{.from = transmitter.robot,
                   .to = head.to,
                   .mode = head.mode,
                   .bits = static_cast<double>(transmitters_.mode(head).error_bits(head.length))};
  if (!group && !survives(transmitter, frame, transmitter.interferers)) {
    outcome = AirOutcome::kCollision;
  } else if (!group && head.ack.count() > 0 &&
             (head.failing_tries == 0 || transmitter.station.aggregation.frames > 1)) {
    outcome = response_received(transmitter) ? AirOutcome::kClean : AirOutcome::kAckCollision;
    carrier(head.to, transmitter, transmitter.on_air_until, transmitter.on_air_until + transmitter.exchange.ack);
  }
  exchanges_.end(transmitter, transmitter.on_air_until, outcome);
  if (group) {
    transmitters_.results().back().interferers = transmitter.interferers;
  }
}

// With a CTS the frame follows. A receiver whose network allocation vector is set sends none; an RTS without CTS
// reserves no more than itself and the CTS that did not come.
void OverlappingAccess::end_rts(Transmitter& transmitter) {
  const HostTime at = transmitter.on_air_until;
  const AirExchange& exchange = transmitter.exchange;
  const AirJob& head = transmitters_.head(transmitter);
  const Transmitter* const receiver = transmitters_.of(head.to);
  const Sent rts{.from = transmitter.robot,
                 .to = head.to,
                 .mode = head.mode,
                 .bits = static_cast<double>(transmitters_.mode(head).rts_bits),
                 .control = true};
  const bool collision = !survives(transmitter, rts, transmitter.interferers) ||
                         (receiver != nullptr && receiver->nav_until > at) || !response_received(transmitter);
  transmitter.sending_rts = false;
  if (collision || exchanges_.noise_takes_rts(transmitter)) {
    transmitter.transmitting = false;
    return exchanges_.end(transmitter, at, collision ? AirOutcome::kCollision : AirOutcome::kNoCts);
  }
  transmitter.on_air_until = at + exchange.cts + exchange.sifs + exchange.frame;
  transmitter.idle_from = transmitter.on_air_until + exchange.ack;
  add_busy(transmitter.idle_from - at);
  transmitter.interferers.clear();
  note_transmitting(transmitter, transmitter.interferers);
  reserve_medium(transmitter, head.to);
}

// Whether the receiver's CTS or acknowledgement is received, for all who transmit now.
bool OverlappingAccess::response_received(Transmitter& transmitter) {
  note_transmitting(transmitter, transmitting_);
  const AirJob& head = transmitters_.head(transmitter);
  const Sent response{.from = head.to,
                      .to = transmitter.robot,
                      .mode = head.mode,
                      .bits = static_cast<double>(transmitters_.mode(head).ack_bits),
                      .control = true};
  const bool received = survives(transmitter, response, transmitting_);
  transmitting_.clear();
  return received;
}

void OverlappingAccess::note_transmitting(const Transmitter& except, std::vector<std::uint32_t>& robots) const {
  for (const std::uint32_t member : members()) {
    if (transmitters_[member].transmitting && &transmitters_[member] != &except) {
      robots.push_back(transmitters_[member].robot);
    }
  }
}

bool OverlappingAccess::survives(Transmitter& drawing, const Sent& sent,
                                 const std::vector<std::uint32_t>& interferers) {
  return transmitters_.survives(drawing, sent, interferers, rules_.interference_weight);
}

// True when the frame at the head was given up because the duty cycle's budget is spent.
bool OverlappingAccess::drop_over_budget(Transmitter& transmitter, HostTime at) {
  AirJob& head = transmitters_.head(transmitter);
  if (!transmitter.station.duty.drops || within_budget(transmitter, at, head.air_time) <= at) {
    return false;
  }
  head.done = true;
  head.lost = DropReason::kDutyCycle;
  transmitters_.hand_over_received(transmitter, head.to, at);
  return true;
}

void OverlappingDcf::carrier(std::uint32_t robot, const Transmitter& exchange_of, HostTime at, HostTime until) {
  for (const std::uint32_t member : members()) {
    Transmitter& other = transmitters_[member];
    if (other.transmitting || &other == &exchange_of || !hears(robot, other.robot)) {
      continue;
    }
    const Nanoseconds idle = at - (other.idle_from + ifs_of(other, rules_));
    if (idle.count() > 0) {
      count_down(other, slots_in(idle, rules_));
    }
    other.idle_from = std::max(other.idle_from, until);
    defer_if_busy(other, other.idle_from);
  }
}

void OverlappingDcf::reserve_medium(const Transmitter& exchange_of, std::uint32_t receiver) {
  const HostTime at = exchange_of.idle_from - (exchange_of.exchange.length() - exchange_of.exchange.rts);
  for (const std::uint32_t member : members()) {
    Transmitter& other = transmitters_[member];
    if (&other != &exchange_of && !other.transmitting &&
        (hears(exchange_of.robot, other.robot) || hears(receiver, other.robot))) {
      other.nav_until = std::max(other.nav_until, exchange_of.idle_from);
    }
  }
  carrier(exchange_of.robot, exchange_of, at, exchange_of.idle_from);
  carrier(receiver, exchange_of, at, exchange_of.idle_from);
}

bool OverlappingDcf::hears(std::uint32_t from, std::uint32_t to) const {
  return transmitters_.signals().power_dbm(from, to) >= rules_.carrier_sense_dbm;
}

}  // namespace hilgate
