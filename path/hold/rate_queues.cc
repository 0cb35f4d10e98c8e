// SPDX-License-Identifier: Apache-2.0
#include "path/hold/rate_queues.h"

#include <algorithm>
#include <map>

namespace hilgate {
namespace {

bool has_constant_rate(const LinkRules& rules) {
  return rules.impairments && rules.impairments->rate && rules.impairments->rate->bits_per_second > 0;
}
bool has_traced_rate(const LinkRules& rules) {
  return rules.impairments && rules.impairments->trace && rules.impairments->trace->schedule->has_rate();
}
bool has_rate(const LinkRules& rules) {
  return has_constant_rate(rules) || has_traced_rate(rules);
}

// A later configuration may make queues longer or shorter while frames wait: room for all that the gateway holds.
std::size_t room(std::span<const LinkRules> rules, std::size_t frames) {
  return std::any_of(rules.begin(), rules.end(), has_rate) ? frames : 0;
}

// Apart from the streams of the links' fates, which have the same numbers.
constexpr std::uint64_t kOfQueues = 0x5155'4555'4553'0000;

std::unique_ptr<ManagedQueue> manage(const RateLimit& limit, std::uint64_t seed, std::uint32_t link) {
  return limit.management.is_fifo() ? nullptr
                                    : std::make_unique<ManagedQueue>(limit.management, seed ^ kOfQueues, link);
}

}  // namespace

RateQueues::RateQueues(std::span<const LinkRules> rules, std::size_t frames, std::uint64_t seed)
    : nodes_(room(rules, frames)) {
  std::map<std::uint32_t, QueueIndex> queue_of_wire;
  for (std::uint32_t link = 0; link < rules.size(); ++link) {
    if (!has_rate(rules[link])) {
      continue;
    }
    queue_of_.resize(rules.size());
    const QueueIndex next{static_cast<std::uint32_t>(queues_.size())};
    const Impairments& impairments = *rules[link].impairments;
    if (has_constant_rate(rules[link])) {
      queue_of_[link] = next;
      queues_.push_back({.limit = *impairments.rate, .managed = manage(*impairments.rate, seed, link)});
    } else {
      const auto [queue, is_new] = queue_of_wire.try_emplace(impairments.trace->wire, next);
      queue_of_[link] = queue->second;
      if (is_new) {
        const TracePlayback& trace = *impairments.trace;
        queues_.push_back({.limit = trace.queue, .trace = &trace, .wire = TracedWire(trace.schedule.get())});
        traces_.push_back(rules[link].impairments);
      }
    }
  }
  busy_.reserve(queues_.size());
}

HostTime RateQueues::send_by_trace(Queue& queue, const QueuedDelivery& delivery) const {
  return start_ + queue.wire.send(delivery.ready - start_, queue.trace->bytes_on_wire(delivery.pending.length));
}

HostTime RateQueues::begin_by_trace(Queue& queue, const QueuedDelivery& delivery) const {
  const Nanoseconds begin =
      queue.wire.begins(delivery.ready - start_, queue.trace->bytes_on_wire(delivery.pending.length));
  return begin == TraceSchedule::kNever ? HostTime::max() : start_ + begin;
}

void RateQueues::move_start(HostTime start, HostTime now) {
  const Nanoseconds by = start > start_ ? start - start_ : start_ - start;
  start_ = start;
  if (by <= kSteered) {
    return;
  }
  for (Queue& queue : queues_) {
    if (queue.trace != nullptr) {
      queue.wire.skip_to(now - start_);
      look_at_head(queue);
    }
  }
}

void RateQueues::take_over(const QueuedDelivery& delivery, HostTime free_at, HostTime now) {
  Queue& queue = queues_[queue_of(delivery.pending.link)];
  queue.free_at = std::max(queue.free_at, free_at);
  if (queue.trace != nullptr && queue.frames == 0) {
    queue.wire.skip_to(std::max(now, free_at) - start_);
  }
  append(queue, delivery);
}

void RateQueues::take_over_disciplines(const RateQueues& old) {
  const std::size_t links = std::min(queue_of_.size(), old.queue_of_.size());
  for (std::size_t link = 0; link < links; ++link) {
    const LinkSlot slot{static_cast<std::uint32_t>(link)};
    if (limits(slot) && old.limits(slot) && is_managed(slot) && old.is_managed(slot)) {
      queues_[queue_of(slot)].managed->take_over(*old.queues_[old.queue_of(slot)].managed);
    }
  }
}

bool RateQueues::append(Queue& queue, const QueuedDelivery& delivery) {
  const NodeIndex node = nodes_.take();
  if (node == kNoNode) {
    return false;
  }
  nodes_[node] = delivery;
  if (queue.managed == nullptr) {
    queue.line.append(nodes_, node);
  } else {
    queue.managed->append(nodes_, node);
    queue.first_ready = queue.frames == 0 ? delivery.ready : queue.first_ready;
  }
  if (!queue.listed) {
    queue.listed = true;
    busy_.push_back(static_cast<std::uint32_t>(&queue - queues_.data()));
  }
  queue.bytes += delivery.pending.length;
  if (++queue.frames == 1) {
    look_at_head(queue);
  }
  return true;
}

QueuedDelivery RateQueues::pop(Queue& queue) {
  const QueuedDelivery delivery = queue.line.pop(nodes_);
  forget(queue, delivery);
  return delivery;
}

QueuedDelivery RateQueues::pop_first(Queue& queue) {
  if (queue.managed == nullptr) {
    return pop(queue);
  }
  const QueuedDelivery delivery = queue.managed->pop_first(nodes_);
  forget(queue, delivery);
  return delivery;
}

}  // namespace hilgate
