// SPDX-License-Identifier: Apache-2.0
// Stage 4: deliveries that wait for their release time, on the core of their receiver's port: in the hold or, where
// that is another core, in the crossing ring to its hold.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "clock/time.h"
#include "frame/drop_reason.h"
#include "path/cores/crossings.h"
#include "path/delivery_budget.h"
#include "path/delivery_ledger.h"
#include "path/hold/hold.h"
#include "path/path_parts.h"

namespace hilgate {

template <FramePool Pool>
class HoldStage {
 public:
  /// The references must outlive the stage.
  HoldStage(Hold& hold, Crossings crossings, const PathParts& parts, const DeliveryBudget& budget,
            DeliveryLedger<Pool>& ledger)
      : hold_(hold), crossings_(std::move(crossings)), parts_(parts), budget_(budget), ledger_(ledger) {}

  void enqueue_hold(const HeldFrame& held) noexcept {
    if (CrossingRing* ring = ring_to(held.link)) {
      return enqueue_crossing(held, *ring);
    }
    const bool room = !budget_.full(held.link);
    if (!room || !(held.loose ? hold_.push_loose(held.link, held) : hold_.push(held.link, held))) {
      return drop(held);
    }
    hold_.look_ahead(held.link, [this](const HeldFrame& soon) { ledger_.pool().fetch(soon.frame()); });
  }

  /// Plain deliveries of one link, one after the other: has next(HeldFrame&) write each, until it returns false
  /// instead. Meanwhile nothing else enters the hold.
  // Inlined by order: a delivery that goes through memory on its way here costs the path a tenth of its rate.
  template <class Next>
  [[gnu::always_inline]] void enqueue_run(LinkSlot link, Next&& next) noexcept {
    if (CrossingRing* const ring = ring_to(link)) {
      return cross_while(*ring, next);
    }
    const auto fetch = [this](const HeldFrame& soon) { ledger_.pool().fetch(soon.frame()); };
    const bool looks_ahead = hold_.looks_ahead(link);
    Hold::Entry entry(hold_, link, budget_.room(link));
    const auto put_one = [&](HeldFrame& place) {
      const bool more = next(place);
      if (more && looks_ahead) {
        hold_.look_ahead(link, fetch);
      }
      return more;
    };
    HeldFrame held;  // that begins a block, or has no room
    while (entry.put_while(put_one) && put_one(held)) {
      if (!entry.put(held)) {
        drop(held);
      }
    }
  }

  /// Swaps in the cores of the ports (Crossings::to_port); on return `to_port` holds the previous ones.
  void swap_ports(std::vector<CrossingRing*>& to_port) noexcept { crossings_.to_port.swap(to_port); }

  /// At most `most` deliveries from each other core, to the hold.
  void dequeue_crossings(std::size_t most) noexcept {
    for (CrossingRing* ring : crossings_.from) {
      for (std::size_t left = most; left > 0 && ring->front() != nullptr;) {
        const std::size_t taken = only_waits(*ring->front()) ? dequeue_run(*ring, left) : dequeue_alone(*ring);
        ledger_.cross_in(taken);
        left -= taken;
      }
    }
  }

  /// Whether other cores have put something into the rings to this one.
  [[nodiscard]] bool has_crossings() const noexcept { return any_waiting(crossings_.from); }
  /// Wakes the cores whose rings were written to, once an iteration: a fence for each frame would be felt.
  void announce_crossings() const noexcept {
    for (CrossingRing* ring : crossings_.to) {
      ring->announce();
    }
  }

  /// What is due at `now`, to each(DueRun, bool cold), which takes it over. `cold`: held for long and not looked ahead
  /// to, it is in no cache. Stops after the run with which `most` deliveries are reached: a backlog must not delay the
  /// next capture.
  template <class Each>
  void dequeue_hold(HostTime now, std::size_t most, Each each) noexcept {
    std::size_t count = 0;
    while (count < most && hold_.pop_run(now, [&](const DueRun& run) {
      note_lateness(now, run.frames);
      each(run, hold_.cold() && !hold_.looks_ahead(run.link));
      count += run.frames.size();
    })) {
    }
  }

  void drop_all(DropReason reason) noexcept {
    hold_.pop_due(HostTime::max(), [&](LinkSlot, std::span<HeldFrame> run) {
      for (const HeldFrame& held : run) {
        ledger_.drop(held, reason);
      }
    });
    for (CrossingRing* ring : crossings_.from) {
      ledger_.cross_in(ring->take(std::numeric_limits<std::size_t>::max(),
                                  [&](const HeldFrame& held, const DamageNote*) { ledger_.drop(held, reason); }));
    }
  }

 private:
  [[nodiscard]] CrossingRing* ring_to(LinkSlot link) const noexcept {
    return crossings_.to_port.empty() ? nullptr : crossings_.to_port[parts_.port_to(link).value()];
  }

  template <class Next>
  [[gnu::always_inline]] void cross_while(CrossingRing& ring, Next& next) noexcept {
    std::size_t count = 0;
    HeldFrame* place = nullptr;
    for (; (place = ring.claim()) != nullptr && next(*place); ++count) {
      ring.put();
    }
    ledger_.cross_out(count);
    if (place == nullptr) {
      refuse_while(next);
    }
  }
  template <class Next>
  [[gnu::noinline]] void refuse_while(Next& next) noexcept {
    for (HeldFrame held; next(held);) {
      ledger_.drop(held, DropReason::kCrossingFull);
    }
  }

  // Frames of a burst arrived together, so that most are due together.
  void note_lateness(HostTime now, std::span<const HeldFrame> released) noexcept {
    if (released.front().due == released.back().due) {
      return ledger_.note_release_error(now - released.front().due, released.size());
    }
    for (auto first = released.begin(); first != released.end();) {
      const auto next =
          std::find_if(first + 1, released.end(), [&](const HeldFrame& h) { return h.due != first->due; });
      ledger_.note_release_error(now - first->due, static_cast<std::uint64_t>(next - first));
      first = next;
    }
  }

  [[gnu::noinline]] void drop(HeldFrame held) noexcept { ledger_.drop(held, DropReason::kHoldFull); }

  [[gnu::noinline]] void enqueue_crossing(HeldFrame held, CrossingRing& ring) noexcept {
    if (held.damage == kNoNode) {
      if (!ring.push(held)) {
        return ledger_.drop(held, DropReason::kCrossingFull);
      }
    } else {
      if (!ring.push(held, ledger_.note(held))) {
        return ledger_.drop(held, DropReason::kCrossingFull);
      }
      ledger_.take_note(held);
    }
    ledger_.cross_out(1);
  }

  [[nodiscard]] static bool only_waits(const HeldFrame& held) { return !CrossingRing::damaged(held) && !held.loose; }

  // Deliveries of one link that only wait enter the hold as one.
  std::size_t dequeue_run(CrossingRing& ring, std::size_t most) noexcept {
    const HeldFrame* held = ring.front();
    const LinkSlot link = held->link;
    const bool fetches = !hold_.looks_ahead(link);
    std::size_t count = 0;
    enqueue_run(link, [&](HeldFrame& place) {
      if (held == nullptr || held->link != link || !only_waits(*held)) {
        return false;
      }
      if (fetches) {  // what a short delay leaves no time to look ahead to lies in the other core's cache
        ledger_.pool().fetch(held->frame());
      }
      place = *held;
      held = ++count < most ? ring.after_front(count) : nullptr;
      return true;
    });
    ring.drop_front(count);
    return count;
  }

  std::size_t dequeue_alone(CrossingRing& ring) noexcept {
    return ring.take(1, [this](HeldFrame held, const DamageNote* note) {
      if (note != nullptr && !ledger_.note_damage(*note, held)) {
        return ledger_.drop(held, DropReason::kNoBuffer);
      }
      enqueue_hold(held);
    });
  }

  Hold& hold_;
  Crossings crossings_;
  const PathParts& parts_;
  const DeliveryBudget& budget_;
  DeliveryLedger<Pool>& ledger_;
};

}  // namespace hilgate
