// SPDX-License-Identifier: Apache-2.0
#include "path/air/overlapping_access.h"

#include <algorithm>
#include <array>

#include "path/air/access_methods.h"
#include "path/air/dcf.h"

namespace hilgate {

void OverlappingAccess::reserve(std::size_t most) {
  AccessMethod::reserve(most);
  starting_.reserve(most);
  transmitting_.reserve(most);
  const std::span<Transmitter> all = transmitters_.all();
  // A station's categories transmit one after the other.
  const auto stations = static_cast<std::size_t>(std::ranges::count_if(
      all, [](const Transmitter& one) { return !one.station.edca || one.category == AccessCategory::kBestEffort; }));
  for (Transmitter& transmitter : all) {
    transmitter.interferers.reserve(std::max(transmitter.interferers.capacity(), 2 * std::min(most, stations)));
  }
}

HostTime OverlappingAccess::access_of(const Transmitter& transmitter) const {
  const AirJob& head = transmitters_.head(transmitter);
  if (transmitter.keeps_medium) {
    return transmitter.idle_from + transmitters_.mode(head).sifs;
  }
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
    if (!transmitter.transmitting && !transmitter.empty() && access_of(transmitter) == at && begins(transmitter, at)) {
      starting_.push_back(member);
    }
  }
  yield_to_own(at);
  for (const std::uint32_t member : starting_) {
    begin(transmitters_[member], at);
  }
  if (!starting_.empty()) {
    receivers_.begin(members(), starting_, at);
  }
  for (const std::uint32_t member : starting_) {
    const Transmitter& transmitter = transmitters_[member];
    carrier(transmitter.robot, transmitter, at, transmitter.idle_from);
  }
  starting_.clear();
}

namespace {

int priority_of(const Transmitter& transmitter) {
  constexpr std::array<int, kAccessCategories> kByCategory = {1, 0, 2, 3};
  return kByCategory[static_cast<std::size_t>(transmitter.category)];
}

}  // namespace

// Of one station's categories that would start at once the highest does, and the others back off as after a collision
// (10.23.2.4). Those of one station follow one another.
void OverlappingAccess::yield_to_own(HostTime at) {
  for (std::size_t i = 0; i + 1 < starting_.size();) {
    Transmitter& one = transmitters_[starting_[i]];
    Transmitter& other = transmitters_[starting_[i + 1]];
    if (one.robot != other.robot || !one.station.edca) {
      ++i;
      continue;
    }
    const bool one_yields = priority_of(one) < priority_of(other);
    Transmitter& yields = one_yields ? one : other;
    widen_window(yields, rules_);
    yields.idle_from = at;
    transmitters_.draw_backoff(yields);
    starting_.erase(starting_.begin() + static_cast<std::ptrdiff_t>(one_yields ? i : i + 1));
  }
}

// A transmission opportunity begins with a frame that contended for the medium.
void OverlappingAccess::begin(Transmitter& transmitter, HostTime at) {
  const AirExchange exchange = exchanges_.begin(transmitter, at);
  if (!transmitter.keeps_medium) {
    transmitter.txop_until = at + txop_of(transmitter);
  }
  transmitter.keeps_medium = false;
  transmitter.backoff = 0;
  transmitter.backing_off = false;
  transmitter.exchange = exchange;
  transmitter.sending_rts = exchange.has_rts();
  transmitter.on_air_since = at;
  transmitter.on_air_until = at + (exchange.has_rts() ? exchange.rts : exchange.frame);
  transmitter.on_air_mode = transmitters_.head(transmitter).mode;
  note_overlaps(transmitter);
  transmitter.transmitting = true;
  add_busy(exchange.has_rts() ? exchange.rts : exchange.frame + exchange.ack);
  spend(transmitter, at, exchange.frame);
  transmitter.idle_from = at + exchange.until_timeout();
}

namespace {

// One robot's transmissions count as one where there is no room for more.
void note(std::vector<Overlap>& overlaps, const Transmitter& other) {
  if (overlaps.size() < overlaps.capacity()) {
    overlaps.push_back({other.robot, other.on_air_mode, other.on_air_since, other.on_air_until});
    return;
  }
  const auto last = std::ranges::find(overlaps, other.robot, &Overlap::robot);
  if (last != overlaps.end()) {
    last->until = std::max(last->until, other.on_air_until);
  }
}

}  // namespace

// Of a transmission that begins, with those that are on the air, for both.
void OverlappingAccess::note_overlaps(Transmitter& transmitter) {
  transmitter.interferers.clear();
  for (const std::uint32_t member : members()) {
    Transmitter& other = transmitters_[member];
    if (other.transmitting && &other != &transmitter) {
      note(transmitter.interferers, other);
      note(other.interferers, transmitter);
    }
  }
}

void OverlappingAccess::end_exchange(Transmitter& transmitter, HostTime on_air_until, AirOutcome outcome) {
  const bool succeeded = exchanges_.end(transmitter, on_air_until, outcome);
  if (succeeded && txop_of(transmitter).count() > 0 && !transmitter.empty()) {
    const AirJob& next = transmitters_.head(transmitter);
    const HostTime begins = transmitter.idle_from + transmitters_.mode(next).sifs;
    transmitter.keeps_medium =
        next.arrived <= transmitter.idle_from && begins + next.air_time + next.ack <= transmitter.txop_until;
  }
  ended(transmitter, succeeded);
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
                   .bits = static_cast<double>(transmitters_.mode(head).error_bits(head.length)),
                   .since = transmitter.on_air_since,
                   .until = transmitter.on_air_until};
  if (!group && !survives(transmitter, frame, transmitter.interferers)) {
    outcome = AirOutcome::kCollision;
  } else if (!group && head.ack.count() > 0 &&
             (head.failing_tries == 0 || transmitter.station.aggregation.frames > 1)) {
    const HostTime answered = transmitter.on_air_until + transmitter.exchange.ack;
    note_answer(transmitter, answered);
    outcome = response_received(transmitter) ? AirOutcome::kClean : AirOutcome::kAckCollision;
    carrier(head.to, transmitter, transmitter.on_air_until, answered);
  }
  end_exchange(transmitter, transmitter.on_air_until, outcome);
  if (group) {
    transmitters_.results().back().interferers = transmitter.interferers;
    transmitters_.results().back().on_air_since = transmitter.on_air_since;
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
                 .since = transmitter.on_air_since,
                 .until = at,
                 .control = true};
  const bool answers =
      survives(transmitter, rts, transmitter.interferers) && !(receiver != nullptr && receiver->nav_until > at);
  if (answers) {
    note_answer(transmitter, at + exchange.cts);
  }
  const bool collision = !answers || !response_received(transmitter);
  transmitter.sending_rts = false;
  if (collision || exchanges_.noise_takes_rts(transmitter)) {
    transmitter.transmitting = false;
    return end_exchange(transmitter, at, collision ? AirOutcome::kCollision : AirOutcome::kNoCts);
  }
  transmitter.on_air_since = at + exchange.cts + exchange.sifs;
  transmitter.on_air_until = transmitter.on_air_since + exchange.frame;
  transmitter.idle_from = transmitter.on_air_until + exchange.ack;
  add_busy(transmitter.idle_from - at);
  note_overlaps(transmitter);
  receivers_.follow(head.to, transmitter, transmitter.on_air_since);
  reserve_medium(transmitter, head.to);
}

// Null where it has no transmitter, or one in another domain, whose state is another medium's.
Transmitter* OverlappingAccess::receiver_in(std::uint32_t domain, std::uint32_t robot) {
  Transmitter* const receiver = transmitters_.of(robot);
  return receiver != nullptr && receiver->domain == domain ? receiver : nullptr;
}

// The receiver of the frame or RTS that has ended turns to transmit, until its answer is over.
void OverlappingAccess::note_answer(const Transmitter& transmitter, HostTime until) {
  if (Transmitter* const receiver = receiver_in(transmitter.domain, transmitters_.head(transmitter).to)) {
    receiver->answers_from = transmitter.on_air_until + rules_.turnaround;
    receiver->answers_until = until;
  }
}

// Whether the receiver's CTS or acknowledgement is received, for all stations that transmit now, or will begin while it
// is on the air.
bool OverlappingAccess::response_received(Transmitter& transmitter) {
  note_transmitting(transmitter, transmitting_);
  const AirJob& head = transmitters_.head(transmitter);
  if (const Transmitter* const receiver = receiver_in(transmitter.domain, head.to)) {
    note_beginning(transmitter, receiver->answers_from, receiver->answers_until, transmitting_);
  }
  const Sent response{.from = head.to,
                      .to = transmitter.robot,
                      .mode = head.mode,
                      .bits = static_cast<double>(transmitters_.mode(head).ack_bits),
                      .since = transmitter.on_air_until,
                      .until = transmitter.on_air_until + Nanoseconds{1},  // for all who transmit now
                      .control = true};
  const bool received = survives(transmitter, response, transmitting_);
  transmitting_.clear();
  return received;
}

void OverlappingAccess::note_transmitting(const Transmitter& except, std::vector<Overlap>& overlaps) const {
  for (const std::uint32_t member : members()) {
    const Transmitter& other = transmitters_[member];
    if (other.transmitting && &other != &except) {
      note(overlaps, other);
    }
  }
}

// A frame and its RTS are received by a receiver that has locked on them.
bool OverlappingAccess::survives(Transmitter& drawing, const Sent& sent, const std::vector<Overlap>& overlaps) {
  const bool answer = sent.to == drawing.robot;
  const Transmitter* const receiver = receiver_in(drawing.domain, sent.to);
  const bool answering = receiver != nullptr && receiver->answers_until > sent.since;  // what it did as `sent` began
  const bool follows = answer || (overlaps.empty() ? !answering : receivers_.follows(sent.to, sent.from, sent.since));
  return follows && transmitters_.survives(drawing, sent, overlaps, rules_.interference_weight);
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
    if (other.transmitting || &other == &exchange_of ||
        !(other.robot == robot || hears(robot, other.robot) ||
          (robot == exchange_of.robot && receives(other.robot, exchange_of)))) {
      continue;
    }
    other.keeps_medium = false;
    const Nanoseconds idle = at - (other.idle_from + ifs_of(other, rules_));
    if (idle.count() > 0) {
      count_down(other, slots_in(idle, rules_));
    }
    other.idle_from = std::max(other.idle_from, until);
    defer_if_busy(other, other.idle_from);
  }
}

// Of frames that collided the longer ones are still on the air, without a preamble to be detected.
void OverlappingDcf::ended(Transmitter& transmitter, bool /*succeeded*/) {
  constexpr float kEnergyDetectDb = 20;  // above the detection of preambles
  if (transmitter.keeps_medium) {
    return;
  }
  for (const std::uint32_t member : members()) {
    const Transmitter& other = transmitters_[member];
    if (other.transmitting && other.robot != transmitter.robot &&
        transmitters_.signals().power_dbm(other.robot, transmitter.robot) >=
            rules_.carrier_sense_dbm + kEnergyDetectDb) {
      transmitter.idle_from = std::max(transmitter.idle_from, other.on_air_until);
    }
  }
}

bool OverlappingDcf::receives(std::uint32_t robot, const Transmitter& sender) const {
  return transmitters_.head(sender).to == robot && receivers().follows(robot, sender.robot, sender.on_air_since);
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

}  // namespace hilgate
