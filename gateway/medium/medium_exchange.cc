// SPDX-License-Identifier: Apache-2.0
// One transmission with its acknowledgement: the frame at the head of a queue or, with aggregation, further ones to the
// same receiver in the same mode (A-MPDU, IEEE 802.11-2020, 10.12): one preamble, an error for each frame, one
// acknowledgement for all. Frames that failed stay and go again with the next ones; what came through behind them
// waits, because receivers hand over in order (10.24.7).
#include <algorithm>

#include "gateway/medium/medium.h"

namespace hilgate {

Medium::Exchange Medium::begin_exchange(Contender& station) {
  AirJob& head = jobs_[station.head];
  head.on_air = true;
  if (station.rules.aggregation.frames > 1 && head.to != AirJob::kGroup) {
    return join_others(station, head);
  }
  Exchange exchange{.frame = head.air_time, .ack = head.ack};
  announce(station, head, 0, exchange);
  return exchange;
}

Medium::Exchange Medium::join_others(Contender& station, AirJob& head) {
  const Aggregation& limit = station.rules.aggregation;
  const PhyMode& mode = modes_[head.mode];
  std::uint64_t bits = mode.subframe_bits(head.length);
  std::uint32_t joined = 1;
  for (NodeIndex node = head.next; node != kNoNode && joined < limit.frames; node = jobs_[node].next) {
    AirJob& job = jobs_[node];
    if (job.done || job.to != head.to || job.mode != head.mode) {
      continue;
    }
    const std::uint64_t longer = bits + mode.subframe_bits(job.length);
    if (longer > 8ULL * limit.bytes || mode.joint_air_time(longer) > limit.time) {
      break;
    }
    bits = longer;
    job.on_air = true;
    ++joined;
  }
  Exchange exchange{.frame = head.air_time, .ack = head.ack};
  if (joined > 1) {
    exchange = {.frame = mode.joint_air_time(bits), .ack = mode.block_ack};
  }
  announce(station, head, joined > 1 ? bits / 8 : 0, exchange);
  return exchange;
}

void Medium::end_exchange(Contender& station, Domain& domain, HostTime on_air_until, Outcome outcome) {
  bool some_done = jobs_[station.head].tries_left == 1;  // given up at the latest now
  const std::uint32_t to = jobs_[station.head].to;
  const bool alone = station.rules.aggregation.frames == 1;
  const bool undisturbed = outcome == Outcome::kClean || outcome == Outcome::kUnheard;
  std::uint32_t joined = 0;
  bool through = false;
  for (NodeIndex node = station.head; node != kNoNode; node = alone ? kNoNode : jobs_[node].next) {
    AirJob& job = jobs_[node];
    if (job.on_air) {
      job.through = undisturbed && comes_through(station, job);
      through = through || job.through;
      ++joined;
    }
  }
  const bool acknowledged = outcome != Outcome::kUnheard && !(through && noise_takes_ack(station, joined > 1));
  domain.acks_lost.add(through && !acknowledged ? 1 : 0);
  for (NodeIndex node = station.head; node != kNoNode; node = alone ? kNoNode : jobs_[node].next) {
    if (jobs_[node].on_air) {
      end_try(jobs_[node], outcome, acknowledged);
      some_done = some_done || jobs_[node].done;
    }
  }
  hand_over_received(station, to, on_air_until);
  station.window = some_done ? domain.rules.cw_min : std::min(2 * station.window + 1, domain.rules.cw_max);
  draw_backoff(station);
}

void Medium::end_try(AirJob& job, Outcome outcome, bool acknowledged) {
  job.on_air = false;
  --job.tries_left;
  job.received = job.received || job.through;
  job.done = (job.through && acknowledged) || job.tries_left == 0;
  if (job.done && !job.received) {
    job.lost = outcome == Outcome::kSpoiled ? DropReason::kCollision : DropReason::kRetriesSpent;
  }
}

// What the receiver has, in order; what the sender knows of, or has given up, leaves its queue.
void Medium::hand_over_received(Contender& station, std::uint32_t to, HostTime on_air_until) {
  const bool alone = station.rules.aggregation.frames == 1;
  NodeIndex before = kNoNode;
  for (NodeIndex node = station.head; node != kNoNode;) {
    AirJob& job = jobs_[node];
    const NodeIndex next = job.next;
    if (job.to != to) {
      before = node;
    } else if (job.done) {
      finish(station, before, on_air_until);
    } else if (job.received) {
      hand_over(job, on_air_until);
      before = node;
    } else {
      return;
    }
    node = alone ? kNoNode : next;
  }
}

void Medium::hand_over(AirJob& job, HostTime on_air_until) {
  if (!job.handed_over) {
    finished_.push_back(
        {.deliveries = job.deliveries, .on_air_until = on_air_until, .lost = job.lost, .met = {}, .mode = job.mode});
    job.handed_over = true;
    job.deliveries = kNoNode;
  }
}

// Takes the job behind `before`, or the head, off the queue, its result given.
void Medium::finish(Contender& station, NodeIndex before, HostTime on_air_until) {
  hand_over(jobs_[before == kNoNode ? station.head : jobs_[before].next], on_air_until);
  remove(station, before);
}

void Medium::remove(Contender& station, NodeIndex before) {
  const NodeIndex job = before == kNoNode ? station.head : jobs_[before].next;
  const NodeIndex next = jobs_[job].next;
  (before == kNoNode ? station.head : jobs_[before].next) = next;
  if (station.tail == job) {
    station.tail = before;
  }
  --station.queued;
  jobs_.give_back(job);
}

}  // namespace hilgate
