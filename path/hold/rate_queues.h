// SPDX-License-Identifier: Apache-2.0
// Links with a rate: a queue in front of each, served one frame after the other
// (netsim_link/impairments/link_limits.h).
//
// The rate is constant, or that of a trace (netsim_link/trace/traced_wire.h), whose wire several links may share. A
// frame whose fate is to be lost later waits and takes its time like the others. It does nothing for links without a
// rate: they have no queue. A queue is a FIFO, which costs one comparison with null, or has a discipline of its own
// (managed_queue.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "clock/time.h"
#include "frame/drop_reason.h"
#include "frame/slab.h"
#include "netsim_link/air_plan.h"
#include "netsim_link/trace/traced_wire.h"
#include "path/hold/delivery_line.h"
#include "path/hold/held_frame.h"
#include "path/hold/managed_queue.h"

namespace hilgate {

/// Used by one thread. Does not allocate after construction.
class RateQueues {
 public:
  /// Queues for the links whose rules have a rate, with room for `frames` deliveries in all of them together. `seed` is
  /// the run's.
  RateQueues(std::span<const LinkRules> rules, std::size_t frames, std::uint64_t seed);

  [[nodiscard]] bool limits(LinkSlot link) const { return !queue_of_.empty() && queue_of_[link.value()]; }
  /// Whether the queue requires QueuedDelivery::capable and `flow`. Requires limits(link).
  [[nodiscard]] bool is_managed(LinkSlot link) const { return queues_[queue_of(link)].managed != nullptr; }

  /// Puts a delivery at the end of its link's queue. Those whose transmission has begun when it comes are handed to
  /// begun(const QueuedDelivery&, HostTime end) first, so that the room it finds does not depend on how often the loop
  /// looks. What does not fit, or what the discipline drops, is handed to drop(QueuedDelivery, DropReason): this one or
  /// older ones. Requires limits() of its link.
  template <class Begun, class Drop>
  void push(const QueuedDelivery& delivery, Begun begun, Drop drop) {
    Queue& queue = queues_[queue_of(delivery.pending.link)];
    serve(queue, delivery.ready, begun, drop);
    if (queue.managed != nullptr) {
      return push_managed(queue, delivery, drop);
    }
    while (is_full(queue, delivery)) {
      if (!queue.limit.drop_head || queue.frames == 0) {
        return drop(delivery, DropReason::kQueueFull);
      }
      drop(pop(queue), DropReason::kQueueFull);
      look_at_head(queue);
    }
    if (!append(queue, delivery)) {
      drop(delivery, DropReason::kQueueFull);
    }
  }

  /// Hands every delivery whose transmission has begun at `now` to each(const QueuedDelivery&, HostTime end), by link
  /// and in order, and those that a discipline drops to drop(QueuedDelivery, DropReason).
  template <class Each, class Drop>
  void serve(HostTime now, Each each, Drop drop) {
    for (std::size_t i = 0; i < busy_.size();) {
      Queue& queue = queues_[busy_[i]];
      serve(queue, now, each, drop);
      if (queue.frames == 0) {
        queue.listed = false;
        busy_[i] = busy_.back();
        busy_.pop_back();
      } else {
        ++i;
      }
    }
  }

  /// When serve() next has something to hand out; HostTime::max() for never.
  [[nodiscard]] HostTime next_service() const {
    HostTime next = HostTime::max();
    for (const std::uint32_t at : busy_) {
      next = std::min(next, queues_[at].head_begins);
    }
    return next;
  }

  /// Empties all queues, as each(const QueuedDelivery&).
  template <class Each>
  void drain(Each each) {
    for (const std::uint32_t at : busy_) {
      while (queues_[at].frames > 0) {
        each(pop_first(queues_[at]));
      }
      queues_[at].listed = false;
    }
    busy_.clear();
  }

  /// Deliveries that wait.
  [[nodiscard]] std::size_t size() const { return nodes_.used(); }
  [[nodiscard]] std::size_t bytes() const {
    std::size_t sum = nodes_.bytes() + queues_.size() * sizeof(Queue) + queue_of_.size() * sizeof(queue_of_[0]);
    for (const Queue& queue : queues_) {
      sum += queue.managed == nullptr ? 0 : queue.managed->bytes();
    }
    return sum;
  }
  /// When the link's wire is free. Requires limits(link).
  [[nodiscard]] HostTime free_at(LinkSlot link) const { return queues_[queue_of(link)].free_at; }
  /// Puts a delivery of another's queue, whose wire is busy until `free_at`, into this one's, also beyond its limit.
  /// Traces continue after `now`. Requires limits() of its link, and that not more are waiting than there is room for.
  void take_over(const QueuedDelivery& delivery, HostTime free_at, HostTime now);

  /// What the disciplines of another's queues remember, for those of the same links and rules.
  void take_over_disciplines(const RateQueues& old);

  /// Traces are played from `start` on, which is when simulated time was 0. A change by more than a clock is steered
  /// (kSteered) is a jump of simulated time: what was free before `now` is lost.
  void set_start(HostTime start, HostTime now) {
    if (start != start_) {
      move_start(start, now);
    }
  }
  [[nodiscard]] HostTime start() const { return start_; }

 private:
  using QueueIndex = Id<struct QueueTag>;  // in queues_
  static constexpr Nanoseconds kSteered{1'000'000};
  struct Queue {
    RateLimit limit;
    const TracePlayback* trace = nullptr;  // instead of the limit's rate
    TracedWire wire{};                     // with `trace`
    HostTime free_at{};
    HostTime head_begins{};  // the transmission of the first in the queue, if there is one
    HostTime first_ready{};  // of a managed queue: when a delivery came that found it empty
    std::uint64_t frames = 0;
    std::uint64_t bytes = 0;
    DeliveryLine line{};                              // of a FIFO
    std::unique_ptr<ManagedQueue> managed = nullptr;  // instead of `line`
    bool listed = false;                              // in busy_
  };

  template <class Each, class Drop>
  void serve(Queue& queue, HostTime now, Each& each, Drop& drop) {
    while (queue.frames > 0 && queue.head_begins <= now) {
      const QueuedDelivery delivery = queue.managed == nullptr ? pop(queue) : pop_managed(queue, drop);
      queue.free_at = queue.trace == nullptr
                          ? std::max(queue.free_at, delivery.ready) + queue.limit.time(delivery.pending.length)
                          : send_by_trace(queue, delivery);
      look_at_head(queue);
      each(delivery, queue.free_at);
    }
  }
  template <class Drop>
  [[gnu::noinline]] QueuedDelivery pop_managed(Queue& queue, Drop& drop) {
    const QueuedDelivery delivery = queue.managed->pop(nodes_, queue.head_begins, [&](const QueuedDelivery& taken) {
      forget(queue, taken);
      drop(taken, DropReason::kAqm);
    });
    forget(queue, delivery);
    return delivery;
  }
  template <class Drop>
  [[gnu::noinline]] void push_managed(Queue& queue, QueuedDelivery delivery, Drop& drop) {
    const QueueVerdict verdict = queue.managed->judge(delivery, queue.bytes);
    if (verdict == QueueVerdict::kDrop) {
      return drop(delivery, DropReason::kAqm);
    }
    delivery.congestion = verdict == QueueVerdict::kMark;
    const bool drops_old = queue.limit.drop_head || queue.managed->drops_longest();
    while (is_full(queue, delivery)) {
      if (!drops_old || queue.frames == 0) {
        return drop(delivery, DropReason::kQueueFull);
      }
      const QueuedDelivery first = queue.managed->pop_first(nodes_);
      forget(queue, first);
      drop(first, DropReason::kQueueFull);
      look_at_head(queue);
    }
    if (!append(queue, delivery)) {
      drop(delivery, DropReason::kQueueFull);
    }
  }
  [[nodiscard]] bool is_full(Queue& queue, const QueuedDelivery& delivery) const {
    if (queue.trace == nullptr && queue.frames == 0 && queue.free_at <= delivery.ready) {
      return false;  // it does not wait
    }
    const std::uint32_t traced = queue.trace == nullptr ? 0 : queue.wire.queue_at(delivery.ready - start_);
    return queue.frames >= (traced > 0 ? traced : queue.limit.queue_frames) ||
           (queue.limit.queue_bytes > 0 && queue.bytes + delivery.pending.length > queue.limit.queue_bytes) ||
           queue.limit.is_too_long(queue.frames + 1, queue.bytes + delivery.pending.length);
  }
  void look_at_head(Queue& queue) {
    if (queue.frames == 0) {
      return;
    }
    if (queue.managed != nullptr) {  // whichever is sent next: all have come, but for the first of an idle wire
      queue.head_begins = std::max(queue.free_at, queue.first_ready);
    } else if (queue.trace == nullptr) {
      queue.head_begins = std::max(queue.free_at, queue_head(queue).ready);
    } else {
      queue.head_begins = begin_by_trace(queue, queue_head(queue));
    }
  }
  HostTime send_by_trace(Queue& queue, const QueuedDelivery& delivery) const;
  HostTime begin_by_trace(Queue& queue, const QueuedDelivery& delivery) const;
  void move_start(HostTime start, HostTime now);
  [[nodiscard]] std::uint32_t queue_of(LinkSlot link) const { return queue_of_[link.value()].value().value(); }
  [[nodiscard]] const QueuedDelivery& queue_head(const Queue& queue) const { return nodes_[queue.line.head]; }
  bool append(Queue& queue, const QueuedDelivery& delivery);
  QueuedDelivery pop(Queue& queue);
  QueuedDelivery pop_first(Queue& queue);
  // One that waited does so no more.
  static void forget(Queue& queue, const QueuedDelivery& delivery) {
    --queue.frames;
    queue.bytes -= delivery.pending.length;
  }

  std::vector<OptionalIndex<QueueIndex>> queue_of_;  // by LinkSlot: those with a rate; empty when no link has one
  std::vector<std::shared_ptr<const Impairments>> traces_;  // that queues play
  HostTime start_{};
  std::vector<Queue> queues_;
  std::vector<std::uint32_t> busy_;  // queues that serve() looks at; capacity reserved for all
  Slab<QueuedDelivery> nodes_;
};

}  // namespace hilgate
