// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/simulation/parked_packets.h"

#include <algorithm>

namespace hilgate {
namespace {

constexpr Nanoseconds kFarthest = std::chrono::hours(24);  // no simulator means a later release than that

Nanoseconds hold_of(const WindowOptions& options) {
  return options.packet_hold_windows ? options.window * static_cast<std::int64_t>(*options.packet_hold_windows)
                                     : options.packet_hold;
}

}  // namespace

DropReason reason_of(AirDrop drop) {
  switch (drop) {
    case AirDrop::kOutOfRange:
      return DropReason::kUnreachable;
    case AirDrop::kBitErrors:
      return DropReason::kLostOnAir;
    case AirDrop::kCollision:
      return DropReason::kCollision;
    case AirDrop::kQueueFull:
      return DropReason::kQueueFull;
    case AirDrop::kTooLate:
      return DropReason::kVerdictLate;
    case AirDrop::kNone:
    case AirDrop::kOther:
      break;
  }
  return DropReason::kVerdictDrop;
}

ParkedPackets::ParkedPackets(VerdictRings& rings, TableRobots robots, const WindowOptions& options)
    : rings_(rings), robots_(std::move(robots)), lockstep_(options.pace == Pace::kLockstep), hold_(hold_of(options)) {}

void ParkedPackets::collect() {
  ParkedPacket parked;
  while (rings_.parked.pop(parked)) {
    offer(parked);
  }
}

// In lockstep sim time is stopped while frames arrive: they all came as the window began.
void ParkedPackets::offer(const ParkedPacket& parked) {
  const OptionalIndex<RobotIndex> sender = robots_.index_of(parked.from);
  const OptionalIndex<RobotIndex> receiver =
      parked.to ? robots_.index_of(parked.to.value()) : OptionalIndex<RobotIndex>{};
  if (!sender || (parked.to && !receiver)) {
    return forget(parked.id, DropReason::kVerdictMissing);
  }
  CapturedPacket packet{.id = parked.id,
                        .captured = lockstep_ ? from_ : std::max(engine_->sim_at_path(parked.arrived), SimTime{}),
                        .sender = sender.value(),
                        .length = parked.length,
                        .src_ip = parked.src_ip,
                        .dst_ip = parked.dst_ip,
                        .traffic_class = parked.traffic_class};
  if (receiver) {
    packet.receiver = receiver.value();
  }
  captured_.push_back(packet);
}

void ParkedPackets::take(SimTime before, std::vector<CapturedPacket>& packets) {
  collect();
  while (!captured_.empty() && captured_.front().captured < before) {
    packets.push_back(captured_.front());
    captured_.pop_front();
  }
}

void ParkedPackets::window_began(SimTime from) {
  from_ = from;
  rings_.open.store(true, std::memory_order_relaxed);
  while (!backlog_.empty() && rings_.orders.push(backlog_.front())) {
    backlog_.pop_front();
    rings_.orders_given();
  }
  collect();
  expire_unasked(from - hold_);
  release_due();
}

// A simulator that is away must not fill the gateway's memory.
void ParkedPackets::expire_unasked(SimTime before) {
  while (!captured_.empty() && captured_.front().captured < before) {
    forget(captured_.front().id, DropReason::kVerdictMissing);
    captured_.pop_front();
    ++unasked_;
  }
}

void ParkedPackets::verdicts(std::span<const Verdict> verdicts, std::span<const std::uint64_t> forgotten) {
  for (const Verdict& verdict : verdicts) {
    judge(verdict);
  }
  for (const std::uint64_t packet : forgotten) {
    forget(packet, DropReason::kVerdictDrop);
  }
}

void ParkedPackets::expired(std::span<const std::uint64_t> packets) {
  for (const std::uint64_t packet : packets) {
    forget(packet, DropReason::kVerdictMissing);
  }
}

void ParkedPackets::begin_anew() {
  collect();
  expire_unasked(SimTime::max());
}

void ParkedPackets::judge(const Verdict& verdict) {
  if (!robots_.has(verdict.receiver)) {
    return;
  }
  ParkedOrder order{.packet = verdict.packet, .to = robots_.slot_of(verdict.receiver)};
  if (verdict.drop != AirDrop::kNone) {
    order.what = ParkedOrder::What::kDrop;
    order.reason = reason_of(verdict.drop);
    return send(order);
  }
  order.what = ParkedOrder::What::kDeliver;
  order.ber = verdict.ber;
  const SimTime release_at = std::min(verdict.release_at, from_ + kFarthest);
  if (!lockstep_ && !verdict.at_once) {
    order.due = engine_->path_at(release_at);
    return send(order);
  }
  order.due = VerdictRings::kNow;
  if (verdict.at_once) {
    return send(order);
  }
  put_off(release_at, order);
}

void ParkedPackets::forget(std::uint64_t packet, DropReason reason) {
  const ParkedOrder order{.packet = packet, .what = ParkedOrder::What::kForget, .reason = reason};
  if (const auto last = last_of_.find(packet); last != last_of_.end()) {
    return put_off(last->second, order);
  }
  send(order);
}

void ParkedPackets::put_off(SimTime until, const ParkedOrder& order) {
  put_off_.emplace(until, order);
  auto& last = last_of_.try_emplace(order.packet, until).first->second;
  last = std::max(last, until);
}

void ParkedPackets::release_due() {
  while (!put_off_.empty() && put_off_.begin()->first <= from_) {
    const auto [until, order] = *put_off_.begin();
    put_off_.erase(put_off_.begin());
    if (const auto last = last_of_.find(order.packet);
        last != last_of_.end() && last->second == until && order.what == ParkedOrder::What::kForget) {
      last_of_.erase(last);
    }
    send(order);
  }
}

void ParkedPackets::send(const ParkedOrder& order) {
  if (!backlog_.empty() || !rings_.orders.push(order)) {
    backlog_.push_back(order);
  }
  rings_.orders_given();
}

}  // namespace hilgate
