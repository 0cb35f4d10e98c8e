// SPDX-License-Identifier: Apache-2.0
#include "path/air/tdma.h"

#include <algorithm>

namespace hilgate {
namespace {

// One station's part of the frame of slots.
struct Slots {
  const AirDomain& rules;
  std::size_t slot;
  std::size_t slots;

  [[nodiscard]] Nanoseconds round() const {
    return (rules.tdma_slot + rules.tdma_guard) * static_cast<std::int64_t>(slots);
  }
  // Since the beginning of its last slot.
  [[nodiscard]] Nanoseconds passed(HostTime at) const {
    const Nanoseconds own = (rules.tdma_slot + rules.tdma_guard) * static_cast<std::int64_t>(slot);
    return ((at.time_since_epoch() - own) % round() + round()) % round();
  }
  // When it may put `length` on the air, not before `from`.
  [[nodiscard]] HostTime access(HostTime from, Nanoseconds length) const {
    const Nanoseconds since = passed(from);
    return since + length <= rules.tdma_slot || since.count() == 0 ? from : from + (round() - since);
  }
};

// Of what the head needs the air for.
Nanoseconds next_time(const AirJob& job, const PhyMode& mode) {
  if (mode.shared) {
    return mode.shared_time(std::min(job.left, mode.fragment_bytes));
  }
  return Nanoseconds{(job.air_time.count() + job.fragments - 1) / job.fragments};
}

}  // namespace

Tdma::Turn Tdma::own_turn(std::size_t member, HostTime from, Nanoseconds length) const {
  const Slots slots{rules_, member, members().size()};
  const HostTime at = slots.access(from, length);
  return {at, at + (rules_.tdma_slot - slots.passed(at))};
}

HostTime Tdma::yields_at(const Transmitter& owner, HostTime slot) const {
  const HostTime silent = std::max(slot, owner.idle_from);
  if (!owner.empty()) {
    const AirJob& head = transmitters_.head(owner);
    const Nanoseconds length = next_time(head, transmitters_.mode(head));
    if (head.arrived <= silent && (silent + length <= slot + rules_.tdma_slot || silent == slot)) {
      return HostTime::max();
    }
  }
  return silent;
}

// The first opportunity not before `from`: one's own slots as they begin, the other's as they are yielded.
Tdma::Turn Tdma::next_turn(std::size_t member, HostTime from, Nanoseconds length) const {
  const Transmitter& transmitter = transmitters_[members()[member]];
  const Transmitter& other = transmitters_[members()[1 - member]];
  const Nanoseconds empty_frame = transmitters_.mode(transmitters_.head(transmitter)).shared_time(0);
  const Nanoseconds step = rules_.tdma_slot + rules_.tdma_guard;
  for (std::int64_t number = from.time_since_epoch() / step;; ++number) {
    const HostTime slot{step * number};
    const HostTime until = slot + rules_.tdma_slot;
    const bool own = static_cast<std::size_t>(number % 2) == member;
    if (own && slot >= from) {
      return {slot, until};
    }
    const HostTime yielded = own ? HostTime::max() : yields_at(other, slot);
    if (yielded < until && yielded + empty_frame >= from && yielded + empty_frame + length <= until) {
      return {yielded + empty_frame, until};
    }
  }
}

Tdma::Turn Tdma::turn_of(std::size_t member) const {
  const Transmitter& transmitter = transmitters_[members()[member]];
  const AirJob& head = transmitters_.head(transmitter);
  const Nanoseconds length = next_time(head, transmitters_.mode(head));
  const HostTime from = std::max(transmitter.idle_from, head.arrived);
  if (!rules_.tdma_yields || members().size() != 2) {
    return own_turn(member, from, length);
  }
  const bool goes_on = from == transmitter.idle_from && from + length <= transmitter.turn_until;
  return goes_on ? Turn{from, transmitter.turn_until} : next_turn(member, from, length);
}

HostTime Tdma::next_event() const {
  HostTime next = HostTime::max();
  for (std::size_t member = 0; member < members().size(); ++member) {
    if (!transmitters_[members()[member]].empty()) {
      next = std::min(next, turn_of(member).at);
    }
  }
  return next;
}

bool Tdma::step(HostTime now) {
  Turn first{HostTime::max(), HostTime::max()};
  Transmitter* chosen = nullptr;
  for (std::size_t member = 0; member < members().size(); ++member) {
    Transmitter& transmitter = transmitters_[members()[member]];
    const Turn turn = transmitter.empty() ? first : turn_of(member);
    if (turn.at < first.at) {
      first = turn;
      chosen = &transmitter;
    }
  }
  if (chosen == nullptr || first.at > now) {
    return false;
  }
  send(*chosen, first);
  return true;
}

void Tdma::send(Transmitter& transmitter, const Turn& turn) {
  AirJob& head = transmitters_.head(transmitter);
  transmitter.turn_until = turn.until;
  if (transmitters_.mode(head).shared) {
    return send_shared(transmitter, turn);
  }
  const Nanoseconds fragment = next_time(head, transmitters_.mode(head));
  transmitter.idle_from = turn.at + fragment;
  add_busy(fragment);
  if (++transmitter.fragments_sent == head.fragments) {
    transmitter.fragments_sent = 0;
    transmitter.idle_from += head.ack;
    head.on_air = true;
    end_later(transmitter, transmitter.idle_from,
              [&] { exchanges_.end(transmitter, turn.at + fragment, AirOutcome::kClean); });
  }
}

void Tdma::send_shared(Transmitter& transmitter, const Turn& turn) {
  const HostTime at = turn.at;
  const std::uint8_t mode_index = transmitters_.head(transmitter).mode;
  const PhyMode& mode = transmitters_.mode(transmitters_.head(transmitter));
  const Nanoseconds rest = turn.until - at;
  const std::uint32_t most = mode.shared_bytes(rest);
  std::uint32_t bytes = 0;
  for (NodeIndex node = transmitter.head; node != kNoNode; node = transmitters_.job(node).next) {
    AirJob& job = transmitters_.job(node);
    const bool first = node == transmitter.head;
    if (!first && (job.arrived > at || job.mode != mode_index || job.left > most - bytes)) {
      break;
    }
    const std::uint32_t taken = first ? std::min(job.left, std::max(most, 1U)) : job.left;
    job.left -= taken;
    transmitter.bytes_out.add(taken);
    job.on_air = true;
    bytes += taken;
    if (job.left > 0 || bytes >= most) {
      break;
    }
  }
  const Nanoseconds length = mode.shared_time(bytes);
  transmitter.idle_from = at + length;
  add_busy(length);
  ++transmitter.radio_frames;
  end_shared(transmitter, at + length, mode.shared_bits(bytes));
}

void Tdma::end_shared(Transmitter& transmitter, HostTime end, std::uint64_t bits) {
  while (!transmitter.empty() && transmitters_.head(transmitter).on_air) {
    AirJob& job = transmitters_.head(transmitter);
    job.on_air = false;
    job.bits_sent += bits;
    if (job.left > 0) {
      return;
    }
    transmitters_.hand_over(job, end);
    transmitters_.results().back().radio_frame = transmitter.radio_frames;
    transmitters_.results().back().bits = job.bits_sent;
    transmitters_.remove(transmitter, kNoNode);
  }
}

}  // namespace hilgate
