// SPDX-License-Identifier: Apache-2.0
// Deliveries on their link: the fate of each, drawn now, and what follows from it. A clean one goes into the hold, any
// other one by the link's rate limit.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "clock/time.h"
#include "frame/frame.h"
#include "path/addresses/directory.h"
#include "path/air_delivery.h"
#include "path/delivery_ledger.h"
#include "path/fate/fate.h"
#include "path/fate/link_fates.h"
#include "path/hold/held_frame.h"
#include "path/hold_stage.h"
#include "path/path_parts.h"
#include "path/rate_stage.h"

namespace hilgate {

template <FramePool Pool>
class LinkStage {
 public:
  /// The references must outlive the stage.
  LinkStage(PathParts& parts, DeliveryLedger<Pool>& ledger, RateStage<Pool>& rates, HoldStage<Pool>& hold)
      : parts_(parts), ledger_(ledger), rates_(rates), hold_(hold) {}

  /// Frames that need no medium, each as one delivery on `link`. Does not look at FlowRun::to.
  void decide(const FlowRun& run, LinkSlot link) noexcept {
    if (ledger_.observer.on()) {
      return decide_observed(run, link);
    }
    decide_each(run, link, [](const Frame&, const LinkNow&) {});
  }

  /// The fate of the next frame on the link that it is transmitted on, and what it is to this delivery.
  Fate draw(const Sending& sending, const Passage& passage, LinkNow& now, PendingDelivery& delivery) noexcept {
    Fate fate = parts_.fates.draw(sending, passage.air, now);
    if (const auto lost = apply(fate, sending, passage, now, delivery)) {
      fate.lost = lost;
    }
    return fate;
  }

  /// Applies a fate to one delivery: counts it and notes the damage. The reason when the delivery is lost, also for
  /// lack of memory for the note.
  std::optional<DropReason> apply(const Fate& fate, const Sending& sending, const Passage& passage, LinkNow& now,
                                  PendingDelivery& delivery) noexcept {
    if (ledger_.observer.on()) {
      observe(sending, passage, now, fate);
    }
    LinkCounters& link = ledger_.link(passage.link);
    link.failed_tries.add(fate.failing_tries);
    if (fate.marked) {
      ledger_.mark(passage.link);
    }
    delivery.loose = fate.loose;
    if (fate.errors > 0 && !ledger_.note_damage(fate.damage, delivery)) {
      return DropReason::kNoBuffer;
    }
    return fate.lost;
  }

  /// Through the link's rate limit, ready to be transmitted at `ready`; with its copy, if the fate has one.
  void enqueue_rate(const PendingDelivery& delivery, HostTime ready, const Fate& fate) noexcept {
    if (fate.copy && !fate.lost) {
      if (const auto copy = duplicate(delivery, *fate.copy)) {
        rates_.enqueue_rate(*copy, ready, std::nullopt);
      }
    }
    rates_.enqueue_rate(delivery, ready, fate.lost);
  }

  /// A second delivery of the same frame, with the same damage, `after` the first; nothing when there is no memory for
  /// it.
  std::optional<PendingDelivery> duplicate(const PendingDelivery& delivery, Nanoseconds after) noexcept {
    PendingDelivery copy = delivery;
    copy.delay += after;
    ledger_.pool().share(delivery.frame(), 1);
    ledger_.begin_duplicate(delivery.link);
    if (delivery.damage != kNoNode) {
      copy.damage = kNoNode;
      const DamageNote note = ledger_.note(delivery);
      if (!ledger_.note_damage(note, copy)) {
        ledger_.drop(copy, DropReason::kNoBuffer);
        return std::nullopt;
      }
    }
    return copy;
  }

 private:
  [[gnu::noinline]] void decide_observed(const FlowRun& run, LinkSlot link) noexcept {
    decide_each(run, link, [&](const Frame& frame, const LinkNow& now) {
      Fate fate;
      fate.delay = now.delay;
      observe(run.sending(frame), {link, link}, now, fate);
    });
  }

  // clean(Frame, LinkNow) is called for those whose fate needs no draw.
  template <class Clean>
  void decide_each(const FlowRun& run, LinkSlot link, Clean clean) noexcept {
    LinkNow& now = parts_.fates.now(link);
    const PhyMode& mode = parts_.fates.mode(now, run.group);
    for (auto frame = run.frames.begin(); frame != run.frames.end(); ++frame) {
      frame = hold_clean(frame, run, link, now, mode, clean);
      if (frame == run.frames.end()) {
        return;
      }
      decide_in_full(run.sending(*frame), link, now);
    }
  }

  // Those from `frame` on that arrive clean; returns the first that does not.
  template <class Clean>
  [[gnu::always_inline]] auto hold_clean(std::span<const Frame>::iterator frame, const FlowRun& run, LinkSlot link,
                                         LinkNow& now, const PhyMode& mode, Clean& clean) noexcept {
    CleanFrames fates(now, mode, run.payload, run.group);
    const auto first = frame;
    const Nanoseconds delay = now.delay;
    hold_.enqueue_run(link, [&](HeldFrame& place) {
      if (frame == run.frames.end() || !fates.take(frame->length)) {
        return false;
      }
      clean(*frame, now);
      place = HeldFrame::of(*frame, link, frame->arrived + delay);
      ++frame;
      return true;
    });
    ledger_.add_delay(link, static_cast<std::uint64_t>(frame - first), delay);
    return frame;
  }

  // For a capture. A link that was judged elsewhere has no state of the air.
  [[gnu::noinline]] void observe(const Sending& sending, const Passage& passage, const LinkNow& now,
                                 const Fate& fate) noexcept {
    const bool judged = now.table == 0;
    ledger_.observer.fated(ledger_.pool(), sending.frame,
                           {.link = passage.link,
                            .air = passage.air,
                            .way = static_cast<FrameEvent::Way>(passage.hop),
                            .window = parts_.fates.table().window,
                            .radio = judged ? nullptr : &parts_.fates.state(passage.air),
                            .hazard = {now.hazard(sending.group)},
                            .delay = fate.delay,
                            .errors = fate.errors,
                            .failing_tries = fate.failing_tries,
                            .lost = fate.lost.has_value(),
                            .copied = fate.copy && !fate.lost});
  }

  void decide_in_full(const Sending& sending, LinkSlot link, LinkNow& now) noexcept {
    PendingDelivery delivery = PendingDelivery::of(sending.frame, link);
    const Fate fate = draw(sending, {link, link}, now, delivery);
    delivery.delay = fate.delay;
    enqueue_rate(delivery, sending.frame.arrived, fate);
  }

  PathParts& parts_;
  DeliveryLedger<Pool>& ledger_;
  RateStage<Pool>& rates_;
  HoldStage<Pool>& hold_;
};

}  // namespace hilgate
