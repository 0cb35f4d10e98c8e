// SPDX-License-Identifier: Apache-2.0
#include "path/air/dcf.h"

#include <algorithm>
#include <cassert>
#include <span>

namespace hilgate {

void Dcf::reserve(std::size_t most) {
  AccessMethod::reserve(most);
  winners_.reserve(most);
  for (Transmitter& transmitter : transmitters_.all()) {
    transmitter.interferers.reserve(std::max(transmitter.interferers.capacity(), most));
  }
}

HostTime Dcf::access_of(const Transmitter& transmitter) const {
  const HostTime counted_down = idle_from_ + ifs_of(transmitter, rules_) + rules_.slot * transmitter.backoff;
  return std::max(counted_down, transmitters_.head(transmitter).arrived);
}

HostTime Dcf::next_event() const {
  return first_access([this](const Transmitter& transmitter) { return access_of(transmitter); });
}

// The stations whose backoff ends first transmit: one alone, or several that collide.
bool Dcf::step(HostTime now) {
  const std::span<Transmitter> transmitters = transmitters_.all();
  HostTime earliest = HostTime::max();
  for (const std::uint32_t member : members()) {
    const Transmitter& transmitter = transmitters[member];
    if (transmitter.empty()) {
      continue;
    }
    const HostTime access = access_of(transmitter);
    if (access < earliest) {
      earliest = access;
      winners_.clear();
    }
    if (access == earliest) {
      winners_.push_back(member);
    }
  }
  if (earliest > now) {
    winners_.clear();
    return false;
  }
  count_down_all(earliest);
  if (winners_.size() == 1) {
    transmit(transmitters[winners_.front()], earliest);
  } else {
    collide(earliest);
  }
  winners_.clear();
  for (const std::uint32_t member : members()) {
    defer_if_busy(transmitters[member], idle_from_);
  }
  return true;
}

void Dcf::count_down_all(HostTime until) {
  assert(until >= idle_from_ + rules_.difs);  // no station has access earlier
  const std::span<Transmitter> transmitters = transmitters_.all();
  for (const std::uint32_t member : members()) {
    Transmitter& transmitter = transmitters[member];
    const Nanoseconds idle = until - (idle_from_ + ifs_of(transmitter, rules_));
    count_down(transmitter, slots_in(idle, rules_));
  }
}

void Dcf::collide(HostTime at) {
  for (const std::uint32_t winner : winners_) {
    Transmitter& transmitter = transmitters_[winner];
    transmitter.exchange = exchanges_.begin(transmitter, at);
    transmitter.transmitting = true;
    transmitter.on_air_since = at;
    transmitter.on_air_until =
        at + (transmitter.exchange.has_rts() ? transmitter.exchange.rts : transmitter.exchange.frame);
    transmitter.on_air_mode = transmitters_.head(transmitter).mode;
  }
  receivers_.begin(winners_, winners_, at);
  for (const std::uint32_t winner : winners_) {
    note_others(transmitters_[winner]);
  }
  Nanoseconds longest{0};
  for (const std::uint32_t winner : winners_) {
    longest = std::max(longest, end_overlapped(transmitters_[winner]));
  }
  for (const std::uint32_t winner : winners_) {
    transmitters_[winner].transmitting = false;
  }
  occupy(at, longest);
}

void Dcf::note_others(Transmitter& transmitter) {
  transmitter.interferers.clear();
  for (const std::uint32_t winner : winners_) {
    const Transmitter& other = transmitters_[winner];
    if (&other != &transmitter) {
      transmitter.interferers.push_back({other.robot, other.on_air_mode, other.on_air_since, other.on_air_until});
    }
  }
}

// Returns how long the medium is busy with the exchange.
Nanoseconds Dcf::end_overlapped(Transmitter& transmitter) {
  const HostTime at = transmitter.on_air_since;
  const AirExchange exchange = transmitter.exchange;
  const AirJob& head = transmitters_.head(transmitter);
  if (head.to == AirJob::kGroup && head.ack.count() == 0) {
    end_later(transmitter, at + exchange.frame,
              [&] { exchanges_.end(transmitter, at + exchange.frame, AirOutcome::kClean); });
    AirResult& result = transmitters_.results().back();
    result.interferers = transmitter.interferers;
    result.on_air_since = at;
    return exchange.length();
  }
  const AirOutcome outcome = outcome_of(transmitter);
  const bool all = outcome == AirOutcome::kClean || outcome == AirOutcome::kAckCollision;
  const Nanoseconds busy = all ? exchange.length() : exchange.until_timeout();
  const Nanoseconds on_air = all ? exchange.before_frame() + exchange.frame : transmitter.on_air_until - at;
  end_later(transmitter, at + busy, [&] { exchanges_.end(transmitter, at + on_air, outcome); });
  return busy;
}

// What the others leave of an exchange that began with them.
AirOutcome Dcf::outcome_of(Transmitter& transmitter) {
  const HostTime at = transmitter.on_air_since;
  const AirExchange& exchange = transmitter.exchange;
  const AirJob& head = transmitters_.head(transmitter);
  const PhyMode& mode = transmitters_.mode(head);
  const auto survives = [&](const Sent& sent) {
    return transmitters_.survives(transmitter, sent, transmitter.interferers, rules_.interference_weight);
  };
  Sent part{.from = transmitter.robot, .to = head.to, .mode = head.mode};
  if (!receivers_.follows(head.to, transmitter.robot, at)) {
    return AirOutcome::kCollision;
  }
  if (exchange.has_rts()) {
    part.bits = mode.rts_bits;
    part.control = true;
    part.since = at;
    part.until = at + exchange.rts;
    if (!survives(part)) {
      return AirOutcome::kCollision;
    }
    if (exchanges_.noise_takes_rts(transmitter)) {
      return AirOutcome::kNoCts;
    }
  }
  part.bits = static_cast<double>(mode.error_bits(head.length));
  part.control = false;
  part.since = at + exchange.before_frame();
  part.until = part.since + exchange.frame;
  if (!survives(part)) {
    return AirOutcome::kCollision;
  }
  const Sent ack{.from = head.to,
                 .to = transmitter.robot,
                 .mode = head.mode,
                 .bits = static_cast<double>(mode.ack_bits),
                 .since = part.until + mode.sifs,
                 .until = part.until + exchange.ack,
                 .control = true};
  return exchange.ack.count() == 0 || survives(ack) ? AirOutcome::kClean : AirOutcome::kAckCollision;
}

}  // namespace hilgate
