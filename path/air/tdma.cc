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

HostTime Tdma::access_of(std::size_t member) const {
  const Transmitter& transmitter = transmitters_[members()[member]];
  const AirJob& head = transmitters_.head(transmitter);
  return Slots{rules_, member, members().size()}.access(std::max(transmitter.idle_from, head.arrived),
                                                        next_time(head, transmitters_.mode(head)));
}

HostTime Tdma::next_event() const {
  HostTime next = HostTime::max();
  for (std::size_t member = 0; member < members().size(); ++member) {
    if (!transmitters_[members()[member]].empty()) {
      next = std::min(next, access_of(member));
    }
  }
  return next;
}

bool Tdma::step(HostTime now) {
  for (std::size_t member = 0; member < members().size(); ++member) {
    Transmitter& transmitter = transmitters_[members()[member]];
    if (transmitter.empty()) {
      continue;
    }
    const HostTime at = access_of(member);
    if (at > now) {
      continue;
    }
    AirJob& head = transmitters_.head(transmitter);
    if (transmitters_.mode(head).shared) {
      send_shared(member, at);
      return true;
    }
    const Nanoseconds fragment = next_time(head, transmitters_.mode(head));
    transmitter.idle_from = at + fragment;
    add_busy(fragment);
    if (++transmitter.fragments_sent == head.fragments) {
      transmitter.fragments_sent = 0;
      transmitter.idle_from += head.ack;
      head.on_air = true;
      end_later(transmitter, transmitter.idle_from,
                [&] { exchanges_.end(transmitter, at + fragment, AirOutcome::kClean); });
    }
    return true;
  }
  return false;
}

void Tdma::send_shared(std::size_t member, HostTime at) {
  Transmitter& transmitter = transmitters_[members()[member]];
  const std::uint8_t mode_index = transmitters_.head(transmitter).mode;
  const PhyMode& mode = transmitters_.mode(transmitters_.head(transmitter));
  const Nanoseconds rest = rules_.tdma_slot - Slots{rules_, member, members().size()}.passed(at);
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
