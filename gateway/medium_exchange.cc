// SPDX-License-Identifier: Apache-2.0
// One transmission with its acknowledgement: the frame at the head of a queue or, with aggregation, further ones to the
// same receiver in the same mode (A-MPDU, IEEE 802.11-2020, 10.12): one preamble, an error for each frame, one
// acknowledgement for all. Frames that failed stay and go again with the next ones; what came through behind them
// waits, because receivers hand over in order (10.24.7).
#include <algorithm>

#include "gateway/medium.h"

namespace hilgate {

Medium::Exchange Medium::begin_exchange(Contender& station) {
  AirJob& head = jobs_[station.head];
  head.on_air = true;
  if (station.rules.aggregation.frames > 1 && head.to != AirJob::kGroup) {
    return join_others(station, head);
  }
  return {head.air_time, head.ack};
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
  if (joined == 1) {
    return {head.air_time, head.ack};
  }
  return {mode.joint_air_time(bits), mode.block_ack};
}

// `spoiled`: by others on the air.
void Medium::end_exchange(Contender& station, const AirDomain& rules, HostTime on_air_until, bool spoiled) {
  bool some_done = jobs_[station.head].tries_left == 1;  // given up at the latest now
  const std::uint32_t to = jobs_[station.head].to;
  const bool alone = station.rules.aggregation.frames == 1;
  for (NodeIndex node = station.head; node != kNoNode; node = alone ? kNoNode : jobs_[node].next) {
    if (jobs_[node].on_air) {
      end_try(jobs_[node], spoiled);
      some_done = some_done || jobs_[node].done;
    }
  }
  hand_over_done(station, to, on_air_until);
  station.window = some_done ? rules.cw_min : std::min(2 * station.window + 1, rules.cw_max);
  draw_backoff(station);
}

void Medium::end_try(AirJob& job, bool spoiled) {
  job.on_air = false;
  --job.tries_left;
  const bool failed = job.failing_tries > 0 && !spoiled;
  if (failed) {
    --job.failing_tries;
  }
  job.done = (!failed && !spoiled) || job.tries_left == 0;
  if (job.done && (failed || spoiled)) {
    job.lost = spoiled ? DropReason::kCollision : DropReason::kRetriesSpent;
  }
}

void Medium::hand_over_done(Contender& station, std::uint32_t to, HostTime on_air_until) {
  const bool alone = station.rules.aggregation.frames == 1;
  NodeIndex before = kNoNode;
  for (NodeIndex node = station.head; node != kNoNode;) {
    const NodeIndex next = jobs_[node].next;
    if (jobs_[node].to != to) {
      before = node;
    } else if (jobs_[node].done) {
      finish(station, before, on_air_until);
    } else {
      return;
    }
    node = alone ? kNoNode : next;
  }
}

// Hands over the job behind `before`, or the head.
void Medium::finish(Contender& station, NodeIndex before, HostTime on_air_until) {
  const AirJob& job = jobs_[before == kNoNode ? station.head : jobs_[before].next];
  finished_.push_back(
      {.deliveries = job.deliveries, .on_air_until = on_air_until, .lost = job.lost, .met = {}, .mode = job.mode});
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
