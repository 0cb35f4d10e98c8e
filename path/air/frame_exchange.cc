// SPDX-License-Identifier: Apache-2.0
#include "path/air/frame_exchange.h"

#include <algorithm>
#include <cmath>

namespace hilgate {
namespace {

// The loss of a frame of `bits`, from that of one of `known_bits` in the same mode.
double loss_of(double bits, double known_loss, double known_bits) {
  return known_loss > 0 && known_bits > 0 ? 1 - std::pow(1 - known_loss, bits / known_bits) : 0;
}

void end_try(AirJob& job, AirOutcome outcome, bool acknowledged) {
  job.on_air = false;
  --job.tries_left;
  job.received = job.received || job.received_now;
  job.done = (job.received_now && acknowledged) || job.tries_left == 0;
  if (job.done && !job.received) {
    job.lost = outcome == AirOutcome::kCollision ? DropReason::kCollision : DropReason::kRetriesSpent;
  }
}

}  // namespace

AirExchange FrameExchanges::begin(Transmitter& transmitter, HostTime at) {
  AirJob& head = transmitters_.head(transmitter);
  head.on_air = true;
  if (transmitter.station.aggregation.frames > 1 && head.to != AirJob::kGroup) {
    return aggregate(transmitter, head, at);
  }
  AirExchange exchange{.frame = head.air_time, .ack = head.ack};
  add_rts(transmitter, head, 0, exchange);
  return exchange;
}

AirExchange FrameExchanges::aggregate(const Transmitter& transmitter, const AirJob& head, HostTime at) {
  const Aggregation& limit = transmitter.station.aggregation;
  const PhyMode& mode = transmitters_.mode(head);
  const Nanoseconds txop = transmitter.keeps_medium ? transmitter.txop_until - at : txop_of(transmitter);
  std::uint64_t bits = mode.subframe_bits(head.length);
  std::uint32_t frames = 1;
  for (NodeIndex node = head.next; node != kNoNode && frames < limit.frames; node = transmitters_.job(node).next) {
    AirJob& job = transmitters_.job(node);
    if (job.done || job.to != head.to || job.mode != head.mode || job.arrived > at) {
      continue;
    }
    const std::uint64_t longer = bits + mode.subframe_bits(job.length);
    if (longer > 8ULL * limit.bytes || mode.joint_air_time(longer) > limit.time ||
        (txop.count() > 0 && mode.joint_air_time(longer) + mode.block_ack > txop)) {
      break;
    }
    bits = longer;
    job.on_air = true;
    ++frames;
  }
  AirExchange exchange{.frame = head.air_time, .ack = head.ack};
  if (frames > 1) {
    exchange = {.frame = mode.joint_air_time(bits) + head.probing, .ack = mode.block_ack};
  }
  add_rts(transmitter, head, frames > 1 ? bits / 8 : 0, exchange);
  return exchange;
}

void FrameExchanges::add_rts(const Transmitter& transmitter, const AirJob& head, std::uint64_t aggregate_bytes,
                             AirExchange& exchange) const {
  if (!transmitter.station.rts_above || head.to == AirJob::kGroup) {
    return;
  }
  const PhyMode& mode = transmitters_.mode(head);
  const auto alone = static_cast<std::int64_t>(head.length) + mode.overhead_bytes;
  const std::int64_t bytes = aggregate_bytes > 0 ? static_cast<std::int64_t>(aggregate_bytes) : alone;
  if (bytes > *transmitter.station.rts_above) {
    exchange.rts = mode.rts;
    exchange.cts = mode.ack;
    exchange.sifs = mode.sifs;
  }
}

bool FrameExchanges::end(Transmitter& transmitter, HostTime on_air_until, AirOutcome outcome) {
  bool some_done = transmitters_.head(transmitter).tries_left == 1;  // given up at the latest now
  const std::uint32_t to = transmitters_.head(transmitter).to;
  const bool alone = transmitter.station.aggregation.frames == 1;
  const bool undisturbed = outcome == AirOutcome::kClean || outcome == AirOutcome::kAckCollision;
  std::uint32_t frames = 0;
  bool some_received = false;
  for (NodeIndex node = transmitter.head; node != kNoNode; node = alone ? kNoNode : transmitters_.job(node).next) {
    AirJob& job = transmitters_.job(node);
    if (job.on_air) {
      job.received_now = undisturbed && is_received(transmitter, job);
      job.disturbed += undisturbed || job.received ? 0 : 1;
      some_received = some_received || job.received_now;
      ++frames;
    }
  }
  const bool acknowledged =
      outcome != AirOutcome::kAckCollision && !(some_received && noise_takes_ack(transmitter, frames > 1));
  acks_lost_.add(some_received && !acknowledged ? 1 : 0);
  for (NodeIndex node = transmitter.head; node != kNoNode; node = alone ? kNoNode : transmitters_.job(node).next) {
    AirJob& job = transmitters_.job(node);
    if (job.on_air) {
      end_try(job, outcome, acknowledged);
      some_done = some_done || job.done;
    }
  }
  transmitters_.hand_over_received(transmitter, to, on_air_until);
  if (some_done) {
    transmitter.contention_window = least_window(transmitter, rules_);
  } else {
    widen_window(transmitter, rules_);
  }
  transmitters_.draw_backoff(transmitter);
  return acknowledged && some_done;
}

// Whether a frame is received that no other transmission meets. A repeat of one that was received is drawn anew.
bool FrameExchanges::is_received(Transmitter& transmitter, AirJob& job) {
  if (job.received) {
    const LinkState* const link = transmitters_.signals().between(transmitter.robot, job.to);
    const double hazard = link != nullptr ? link->unicast.per_bit : 0;
    const double bits = hazard > 0 ? static_cast<double>(transmitters_.mode(job).error_bits(job.length)) : 0;
    return hazard == 0 || !transmitters_.happens(transmitter, -std::expm1(-bits * hazard));
  }
  if (job.failing_tries > 0) {
    --job.failing_tries;
    return false;
  }
  return true;
}

bool FrameExchanges::noise_takes_ack(Transmitter& transmitter, bool aggregated) {
  const AirJob& head = transmitters_.head(transmitter);
  if (head.to == AirJob::kGroup || head.ack.count() == 0 || head.fragments > 1) {
    return false;
  }
  const LinkState* const link = transmitters_.signals().between(transmitter.robot, head.to);
  if (link == nullptr || link->ack_loss == 0) {
    return false;
  }
  const PhyMode& mode = transmitters_.mode(head);
  return transmitters_.happens(transmitter, aggregated ? loss_of(mode.block_ack_bits, link->ack_loss, mode.ack_bits)
                                                       : static_cast<double>(link->ack_loss));
}

// The CTS has the direction of acknowledgements, and the RTS that of acknowledgements to the other direction's frames.
bool FrameExchanges::noise_takes_rts(Transmitter& transmitter) {
  const AirJob& head = transmitters_.head(transmitter);
  const LinkState* const there = transmitters_.signals().between(transmitter.robot, head.to);
  const LinkState* const back = transmitters_.signals().between(head.to, transmitter.robot);
  if (there == nullptr || back == nullptr) {
    return false;
  }
  const PhyMode& mode = transmitters_.mode(head);
  const double rts = loss_of(mode.rts_bits, back->ack_loss, mode.ack_bits);
  return transmitters_.happens(transmitter, 1 - (1 - rts) * (1 - static_cast<double>(there->ack_loss)));
}

}  // namespace hilgate
