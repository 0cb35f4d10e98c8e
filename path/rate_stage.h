// SPDX-License-Identifier: Apache-2.0
// Deliveries that wait for the rate limit of their link, on their way to the hold.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>

#include "clock/time.h"
#include "frame/drop_reason.h"
#include "frame/headers.h"
#include "path/delivery_budget.h"
#include "path/delivery_ledger.h"
#include "path/hold/held_frame.h"
#include "path/hold/rate_queues.h"
#include "path/hold_stage.h"

namespace hilgate {

template <FramePool Pool>
class RateStage {
 public:
  /// The references must outlive the stage.
  RateStage(RateQueues& queues, const DeliveryBudget& budget, DeliveryLedger<Pool>& ledger, HoldStage<Pool>& hold)
      : queues_(queues), budget_(budget), ledger_(ledger), hold_(hold) {}

  /// Ready to be transmitted at `ready`. Passes it to the hold where the link has no rate limit. With `lost` it takes
  /// its time in the queue like others and is dropped then; what an outage or distance takes does not get as far.
  void enqueue_rate(const PendingDelivery& delivery, HostTime ready, std::optional<DropReason> lost) noexcept {
    const bool transmitted = !lost || (*lost != DropReason::kOutage && *lost != DropReason::kUnreachable);
    if (!transmitted || !queues_.limits(delivery.link)) {
      return enqueue_hold(delivery, ready, lost);
    }
    if (budget_.full(delivery.link)) {
      return ledger_.drop(delivery, DropReason::kHoldFull);
    }
    ledger_.link(delivery.link).queued.add();
    QueuedDelivery queued{delivery, ready, lost};
    if (queues_.is_managed(delivery.link)) {
      const std::span<const std::byte> head(delivery.data, delivery.head_length);
      const Ecn ecn = ecn_of(head);
      queued.capable = ecn != Ecn::kNotCapable;
      queued.scalable = ecn == Ecn::kCapable1 || ecn == Ecn::kCongestion;
      queued.flow = flow_number(head);
    }
    queues_.push(
        queued, [this](const QueuedDelivery& sent, HostTime end) { leave_queue(sent, end); },
        [this](const QueuedDelivery& refused, DropReason reason) { refuse(refused, reason); });
  }

  /// Those whose transmission has begun at `now`, to the hold.
  void dequeue_rate(HostTime now) noexcept {
    queues_.serve(
        now, [this](const QueuedDelivery& sent, HostTime end) { leave_queue(sent, end); },
        [this](const QueuedDelivery& refused, DropReason reason) { refuse(refused, reason); });
  }

  /// Moves what waits in the queues of another configuration to those of this one, also beyond their limit; it is
  /// transmitted at `now` where its link has no rate limit any more, or when it is ready.
  void take_over(RateQueues& old, HostTime now) noexcept {
    queues_.set_start(old.start(), now);
    queues_.take_over_disciplines(old);
    old.drain([&](const QueuedDelivery& waiting) {
      if (queues_.limits(waiting.pending.link)) {
        queues_.take_over(waiting, old.free_at(waiting.pending.link), now);
      } else {
        leave_queue(waiting, std::max(now, waiting.ready));
      }
    });
  }

  void drop_all(DropReason reason) noexcept {
    queues_.drain([&](const QueuedDelivery& waiting) { refuse(waiting, reason); });
  }

 private:
  void refuse(const QueuedDelivery& delivery, DropReason reason) noexcept {
    ledger_.link(delivery.pending.link).unqueued.add();
    ledger_.drop(delivery.pending, reason);
  }
  void leave_queue(const QueuedDelivery& delivery, HostTime sent) noexcept {
    ledger_.link(delivery.pending.link).unqueued.add();
    if (delivery.congestion && !delivery.lost) {
      return enqueue_marked(delivery.pending, sent);
    }
    enqueue_hold(delivery.pending, sent, delivery.lost);
  }
  [[gnu::noinline]] void enqueue_marked(PendingDelivery delivery, HostTime sent) noexcept {
    const bool marked = ledger_.mark_congestion(delivery);
    enqueue_hold(delivery, sent, marked ? std::nullopt : std::make_optional(DropReason::kNoBuffer));
  }
  void enqueue_hold(const PendingDelivery& delivery, HostTime sent, std::optional<DropReason> lost) noexcept {
    if (lost) {
      return ledger_.drop(delivery, *lost);
    }
    const HeldFrame held = delivery.held_from(sent);
    ledger_.add_delay(delivery.link, 1, std::max(held.due - delivery.arrived, Nanoseconds{0}));
    hold_.enqueue_hold(held);
  }

  RateQueues& queues_;
  const DeliveryBudget& budget_;
  DeliveryLedger<Pool>& ledger_;
  HoldStage<Pool>& hold_;
};

}  // namespace hilgate
