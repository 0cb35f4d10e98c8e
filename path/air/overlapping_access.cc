// SPDX-License-Identifier: Apache-2.0
#include "path/air/overlapping_access.h"

#include <algorithm>
#include <array>

#include "path/air/access_methods.h"
#include "path/air/dcf.h"

namespace hilgate {

void OverlappingAccess::reserve(std::size_t most) {
  AccessMethod::reserve(most);
  accesses_.reserve(most);
  accesses_.resize(members().size(), HostTime::max());
  on_air_.reserve(most);
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
  const HostTime access = std::max(counted_down, head.arrived);
  return transmitter.station.duty.drops ? access : within_budget(transmitter, access, head.air_time);
}

void OverlappingAccess::schedule(const Transmitter& transmitter) {
  if (transmitter.place == Transmitter::kNoPlace) {
    return;
  }
  HostTime& access = accesses_[transmitter.place];
  const HostTime before = access;
  access = transmitter.transmitting || transmitter.empty() ? HostTime::max() : access_of(transmitter);
  if (least_access_ && access <= *least_access_) {
    least_access_ = access;
  } else if (least_access_ == before) {
    least_access_.reset();
  }
}

void OverlappingAccess::jobs_removed(Transmitter& transmitter) {
  if (transmitter.empty()) {
    go_off_air(transmitter);
  }
  schedule(transmitter);
}

HostTime OverlappingAccess::first_access() const {
  if (!least_access_) {
    HostTime least = HostTime::max();
    for (const HostTime access : accesses_) {
      least = std::min(least, access);
    }
    least_access_ = least;
  }
  return std::max(*least_access_, idle_from_);
}

// Null while nobody transmits. Of several the first in the order of members.
Transmitter* OverlappingAccess::first_to_end() const {
  Transmitter* first = nullptr;
  for (const std::uint32_t member : on_air_) {
    Transmitter& transmitter = transmitters_[member];
    if (first == nullptr || transmitter.on_air_until < first->on_air_until) {
      first = &transmitter;
    }
  }
  return first;
}

void OverlappingAccess::go_on_air(Transmitter& transmitter) {
  const std::uint32_t index = transmitters_.index_of(transmitter);
  on_air_.insert(std::ranges::lower_bound(on_air_, index), index);
  transmitter.transmitting = true;
}

void OverlappingAccess::go_off_air(Transmitter& transmitter) {
  const auto found = std::ranges::lower_bound(on_air_, transmitters_.index_of(transmitter));
  if (transmitter.transmitting && found != on_air_.end()) {
    on_air_.erase(found);
  }
  transmitter.transmitting = false;
}

void OverlappingAccess::member_entered(std::size_t place) {
  accesses_.insert(accesses_.begin() + static_cast<std::ptrdiff_t>(place), HostTime::max());
}

void OverlappingAccess::member_left(std::size_t place) {
  go_off_air(transmitters_[members()[place]]);
  accesses_.erase(accesses_.begin() + static_cast<std::ptrdiff_t>(place));
  least_access_.reset();
}

HostTime OverlappingAccess::next_event() const {
  const Transmitter* const ends = first_to_end();
  const HostTime access = first_access();
  return ends != nullptr ? std::min(ends->on_air_until, access) : access;
}

bool OverlappingAccess::step(HostTime now) {
  Transmitter* const ends = first_to_end();
  const HostTime next_end = ends != nullptr ? ends->on_air_until : HostTime::max();
  const HostTime next_access = first_access();
  if (std::min(next_end, next_access) > now) {
    return false;
  }
  idle_from_ = std::min(next_end, next_access);
  if (next_end <= next_access) {
    end(*ends);
  } else {
    begin_all(next_access);
  }
  return true;
}

// All that may start at the same instant: none of them hears the others in time.
void OverlappingAccess::begin_all(HostTime at) {
  for (std::size_t place = 0; place < accesses_.size(); ++place) {
    if (accesses_[place] <= at) {
      Transmitter& transmitter = transmitters_[members()[place]];
      if (begins(transmitter, at)) {
        starting_.push_back(members()[place]);
      } else {
        schedule(transmitter);
      }
    }
  }
  yield_to_own(at);
  for (const std::uint32_t member : starting_) {
    begin(transmitters_[member], at);
  }
  if (!starting_.empty()) {
    receivers_.begin(starting_, on_air_, at);
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
    schedule(yields);
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
  go_on_air(transmitter);
  add_busy(exchange.has_rts() ? exchange.rts : exchange.frame + exchange.ack);
  spend(transmitter, at, exchange.frame);
  transmitter.idle_from = at + exchange.until_timeout();
  schedule(transmitter);
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
  for (const std::uint32_t member : on_air_) {
    Transmitter& other = transmitters_[member];
    if (&other != &transmitter) {
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
  schedule(transmitter);
}

void OverlappingAccess::end(Transmitter& transmitter) {
  if (transmitter.sending_rts) {
    return end_rts(transmitter);
  }
  go_off_air(transmitter);
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
    go_off_air(transmitter);
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
  for (const std::uint32_t member : on_air_) {
    const Transmitter& other = transmitters_[member];
    if (&other != &except) {
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
  audiences_.each_sensing(robot, [&](std::uint32_t member) {
    Transmitter& other = transmitters_[member];
    if (!other.transmitting && &other != &exchange_of) {
      defer(other, at, until);
    }
  });
  const std::uint32_t to = transmitters_.head(exchange_of).to;
  if (robot != exchange_of.robot || receiver_in(exchange_of.domain, to) == nullptr || hears(robot, to) ||
      !receivers().follows(to, robot, exchange_of.on_air_since)) {
    return;
  }
  for (Transmitter& other : transmitters_.queues_of(to)) {
    if (!other.transmitting) {
      defer(other, at, until);
    }
  }
}

void OverlappingDcf::defer(Transmitter& transmitter, HostTime at, HostTime until) {
  transmitter.keeps_medium = false;
  const Nanoseconds idle = at - (transmitter.idle_from + ifs_of(transmitter, rules_));
  if (idle.count() > 0) {
    count_down(transmitter, slots_in(idle, rules_));
  }
  transmitter.idle_from = std::max(transmitter.idle_from, until);
  defer_if_busy(transmitter, transmitter.idle_from);
  schedule(transmitter);
}

// Of frames that collided the longer ones are still on the air, without a preamble to be detected.
void OverlappingDcf::ended(Transmitter& transmitter, bool /*succeeded*/) {
  constexpr float kEnergyDetectDb = 20;  // above the detection of preambles
  if (transmitter.keeps_medium) {
    return;
  }
  for (const std::uint32_t member : on_air()) {
    const Transmitter& other = transmitters_[member];
    if (other.robot != transmitter.robot &&
        transmitters_.powers().of(other.robot)[transmitter.robot] >= rules_.carrier_sense_dbm + kEnergyDetectDb) {
      transmitter.idle_from = std::max(transmitter.idle_from, other.on_air_until);
    }
  }
}

void OverlappingDcf::reserve_medium(const Transmitter& exchange_of, std::uint32_t receiver) {
  const HostTime at = exchange_of.idle_from - (exchange_of.exchange.length() - exchange_of.exchange.rts);
  for (const std::uint32_t robot : {exchange_of.robot, receiver}) {
    audiences_.each_sensing(robot, [&](std::uint32_t member) {
      Transmitter& other = transmitters_[member];
      if (&other != &exchange_of && !other.transmitting) {
        other.nav_until = std::max(other.nav_until, exchange_of.idle_from);
      }
    });
  }
  carrier(exchange_of.robot, exchange_of, at, exchange_of.idle_from);
  carrier(receiver, exchange_of, at, exchange_of.idle_from);
}

}  // namespace hilgate
