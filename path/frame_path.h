// SPDX-License-Identifier: Apache-2.0
// The path of a frame: capture, classify, decide, hold, damage, release. What an iteration of the packet loop does is
// read here from top to bottom; each stage is a class in a file of its own.
//
// A delivery is one frame to one receiver. It is in one queue at a time: enqueue_X() puts it there, dequeue_X() takes
// out those whose time has come, and drop_all() empties the queue at the end.
//   home      on its way to the core that decides its medium     home_stage.h
//   parking   until a network simulator has judged the frame       verdict_stage.h
//   medium    until it has been transmitted on a shared medium     medium_stage.h, air_stage.h
//   cable     between two access points                            relays.h
//   forwarded in a station of a mesh, between two transmissions    mesh_relays.h
//   rate      until the rate limit of its link lets it pass        rate_stage.h
//   crossing  on its way to the core of the receiver's port        hold_stage.h
//   hold      until its release time                               hold_stage.h
//
// Every delivery ends as released or as one DropReason, and DeliveryLedger counts which. Robots are known by their slot
// (PathSettings::robots), links by the slots of both.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "clock/time.h"
#include "frame/counters.h"
#include "frame/frame.h"
#include "frame/slab.h"
#include "path/air_stage.h"
#include "path/capture_stage.h"
#include "path/classify_stage.h"
#include "path/cores/crossings.h"
#include "path/decide_stage.h"
#include "path/delivery_budget.h"
#include "path/delivery_ledger.h"
#include "path/fate/link_table_feed.h"
#include "path/hold/hold.h"
#include "path/hold_stage.h"
#include "path/home_stage.h"
#include "path/host_clock.h"
#include "path/idle_wait.h"
#include "path/iteration_meter.h"
#include "path/link_stage.h"
#include "path/modem_stage.h"
#include "path/path_parts.h"
#include "path/ports/port_abilities.h"
#include "path/rate_stage.h"
#include "path/release_stage.h"
#include "path/settings/tap.h"
#include "path/verdict_stage.h"

namespace hilgate {

/// What replaces parts of a running path, between two iterations; afterwards it holds the previous ones. As many ports
/// as before: their slots.
template <class Port>
struct PathChange {
  PathParts* parts = nullptr;              // null: only the ports change
  std::vector<Port*> ports{};              // by PortSlot; null: of another core, or free
  std::vector<CrossingRing*> crossings{};  // by PortSlot: Crossings::to_port
};

/// One core's path. One thread owns it; iterate() does not allocate, lock, log, throw or make system calls; ports kick
/// their rings in flush().
template <FramePort Port, FramePool Pool>
class FramePath {
 public:
  static constexpr std::size_t kBurst = CaptureStage<Port, Pool>::kBurst;
  static constexpr std::size_t kOrdersPerIteration = 256;
  static constexpr std::size_t kCrossingsPerIteration = 256;
  static constexpr std::size_t kInjectionsPerIteration = 16;
  static constexpr std::size_t kReleasesPerIteration = 4 * kBurst;

  /// `ports` by PortSlot; null are free slots and those of other cores' paths, to which `crossings` leads. Ports, pool,
  /// feed and rings must outlive the path.
  FramePath(const PathSettings& settings, std::vector<Port*> ports, Pool& pool, LinkTableFeed& feed,
            Crossings crossings = {})
      : ports_(std::move(ports)),
        parts_(settings, ports_.size(), feed),
        ledger_(pool, settings.air.rules.size(), settings.damage_notes()),
        tap_(settings.tap),
        held_(2 * settings.hold_frames, settings.air.rules.size(), settings.robots.size(), settings.hold_caches),
        on_air_(settings.hold_frames),  // radios may come with a change
        budget_(settings.hold_frames, held_, parts_.rates, on_air_),
        release_(ports_, parts_, ledger_),
        home_(crossings, parts_, ledger_),
        hold_(held_, std::move(crossings), parts_, budget_, ledger_),
        rates_(parts_.rates, budget_, ledger_, hold_),
        links_(parts_, ledger_, rates_, hold_),
        air_(parts_, budget_, ledger_, on_air_, links_, rates_),
        verdicts_(settings, parts_, ledger_, links_),
        decide_(settings.robots.size(), parts_, ledger_, {verdicts_, home_, air_, links_, hold_, release_}),
        classify_(settings.frame_limit, parts_, ledger_),
        capture_(ports_, kReleasesPerIteration, parts_, ledger_, tap_),
        modems_(ports_, parts_) {
    looked_at_.reserve(ports_.size());
  }

  FramePath(const FramePath&) = delete;
  FramePath& operator=(const FramePath&) = delete;
  /// One iteration of the packet loop.
  template <HostClock Clock>
  void iterate(Clock& clock) noexcept {
    iterate_over(
        ports_.size(), [](std::size_t slot) { return PortSlot{static_cast<std::uint32_t>(slot)}; }, clock);
  }
  /// The same where no port but `arrived` has frames: looks at that one, and at those whose turn depends on it.
  template <HostClock Clock>
  void iterate(Clock& clock, OptionalIndex<PortSlot> arrived) noexcept {
    looked_at_.assign(capture_.owing_ports().begin(), capture_.owing_ports().end());
    if (arrived && std::ranges::find(looked_at_, arrived.value()) == looked_at_.end()) {
      looked_at_.push_back(arrived.value());
    }
    std::ranges::sort(looked_at_);
    iterate_over(
        looked_at_.size(), [this](std::size_t i) { return looked_at_[i]; }, clock);
  }

  using Change = PathChange<Port>;
  /// Swaps `next` into the path; on return `next` holds the previous parts. Between iterations.
  void change(Change& next, HostTime now) noexcept {
    ports_.swap(next.ports);
    hold_.swap_ports(next.crossings);
    if (release_.take_leads()) {
      set_leads();
    }
    if (next.parts != nullptr) {
      change(*next.parts, now);
    }
  }
  /// The same for the parts alone, which were made for as many slots.
  void change(PathParts& next, HostTime now) noexcept {
    next.take_over(parts_);
    std::swap(parts_, next);  // next are the old ones now
    air_.take_over(next.medium, now);
    rates_.take_over(next.rates, now);
    classify_.forget_unknown_senders();
    ledger_.note_change();
    note_held();
    if (release_.has_leads()) {  // robots may be at other ports
      set_leads();
    }
  }

  /// Drops whatever is held, as kShutdown. The path stays usable.
  void drain() noexcept {
    verdicts_.drop_all(DropReason::kShutdown);
    home_.drop_all(DropReason::kShutdown);
    air_.drop_all(DropReason::kShutdown);
    rates_.drop_all(DropReason::kShutdown);
    hold_.drop_all(DropReason::kShutdown);
    ledger_.set_held(0);
  }

  [[nodiscard]] const PathTotals& totals() const { return ledger_.totals(); }  // between iterations
  /// By LinkSlot; readable from any thread.
  [[nodiscard]] std::span<const LinkCounters> links() const { return ledger_.links(); }
  /// The parts that a change replaces; the control thread reads only what constructing their successors requires.
  [[nodiscard]] const PathParts& parts() const { return parts_; }
  /// Senders that are no robots, since the last change of parts; readable from any thread.
  [[nodiscard]] const UnknownSenders& unknown_senders() const { return classify_.unknown_senders(); }
  /// Where frames are judged that wait for verdicts.
  [[nodiscard]] VerdictRings& verdicts() { return verdicts_.rings(); }
  /// Copies of passing frames, and frames to send in addition.
  [[nodiscard]] TapRings& tap() { return tap_.rings(); }
  /// Records what happens to each frame.
  [[nodiscard]] Observer& observer() { return ledger_.observer; }

  // ---- between iterations, for a loop that would sleep (idle_wait.h) ----

  /// Changes whenever an iteration has moved a frame.
  [[nodiscard]] std::uint64_t activity() const noexcept {
    const PathTotals& totals = ledger_.totals();
    return totals.frames_captured + totals.released + totals.injected + totals.crossed_in + totals.crossed_out +
           totals.changes + home_.taken();
  }
  /// When the path next does something unasked; HostTime::max() for never.
  [[nodiscard]] HostTime next_due() const noexcept {
    const HostTime next = std::min(air_.next_due(), parts_.rates.next_service());
    return held_.empty() ? next : std::min(next, held_.next_due());
  }
  /// Others have left something for the next iteration, or the last one has left frames on a port.
  [[nodiscard]] bool has_input() noexcept {
    return capture_.owing() || hold_.has_crossings() || home_.has_crossings() || verdicts_.has_order() ||
           (tap_.on() && tap_.next() != nullptr) || (wants_tables() && parts_.fates.has_table());
  }
  /// New link tables are to be taken up at once, and not only with the next frame.
  [[nodiscard]] bool wants_tables() const noexcept { return parts_.infrastructure.on(); }
  /// Some port needs iterations although nothing arrives.
  [[nodiscard]] bool ports_unfinished() const noexcept {
    return std::ranges::any_of(ports_, [](const Port* port) { return port != nullptr && is_unfinished(*port); });
  }
  /// Every frame that arrives makes a descriptor of each_arrival_fd() readable.
  [[nodiscard]] bool arrivals_wake() const noexcept {
    return std::ranges::all_of(ports_, [](const Port* port) { return port == nullptr || wakes_by_arrivals(*port); });
  }
  template <class Each>
  void each_arrival_fd(Each each) const noexcept {
    each_arrival_fd_of<Port>(ports_, each);
  }
  /// Before the loop sleeps. True when another iteration is to come first, because a port was not armed.
  bool arm_arrivals() noexcept { return arm_ports<Port>(ports_); }
  /// After it slept, or found something to do instead.
  void disarm_arrivals() noexcept { disarm_ports<Port>(ports_); }
  /// The loop slept until `woke`: that was no iteration.
  void note_sleep(HostTime woke) noexcept { meter_.note_sleep(woke); }

  /// Of iterations that took longer than kStall, since the start. Any thread.
  [[nodiscard]] Nanoseconds stalled() const { return meter_.stalled(); }

  [[nodiscard]] std::size_t bytes() const {
    return verdicts_.bytes() + tap_.bytes() + held_.bytes() + on_air_.bytes() + air_.bytes() + parts_.rates.bytes() +
           parts_.fates.bytes() + ledger_.bytes();
  }

 private:
  // Looks at the ports port_at(0) to port_at(count - 1).
  template <class PortAt, HostClock Clock>
  void iterate_over(std::size_t count, PortAt port_at, Clock& clock) noexcept {
    ledger_.observer.look();
    take_link_table(clock);
    budget_.look_at(ledger_.pool(), ledger_.totals().iterations);
    hold_.dequeue_crossings(kCrossingsPerIteration);
    home_.dequeue_home(kCrossingsPerIteration, [this](const FlowRun& run) { decide_.decide_at_home(run); });

    capture_.begin_turn();
    bool idle = true;
    for (std::size_t i = 0; i < count; ++i) {
      const PortSlot port = port_at(i);
      std::span<const Frame> frames = capture_.capture(port, clock);
      idle = idle && frames.empty() && !capture_.owing();
      while (!frames.empty()) {
        const FlowRun run = classify_.classify(frames, port);
        decide_.decide(run);
        frames = frames.subspan(run.frames.size());
      }
      capture_.end(port);
    }

    const HostTime now = clock.now();  // after capture: no arrival is later
    ledger_.observer.set_time(now);
    verdicts_.dequeue_parking(now, kOrdersPerIteration);
    inject();
    air_.dequeue_medium(now);
    modems_.ask();
    rates_.dequeue_rate(now);
    hold_.dequeue_hold(now, kReleasesPerIteration, [&](const DueRun& run, bool cold) {
      release_.release(run.link, release_.damage(run, clock), cold);
    });
    if (release_.flush()) {
      set_leads();
    }
    if (idle && release_imminent(now, clock) && release_.take_leads()) {
      set_leads();
    }
    home_.announce();
    hold_.announce_crossings();
    note_held();
    ledger_.note_iteration(now, meter_);
  }

  template <HostClock Clock>
  void take_link_table(Clock& clock) noexcept {
    if (parts_.fates.take_table()) {
      ledger_.note_window();
      parts_.rates.set_start(parts_.fates.start(), clock.now());
      air_.take_table(clock.now());
    }
  }

  // Frames of the gateway's own.
  void inject() noexcept {
    const Injection* wanted = nullptr;
    for (std::size_t i = 0; tap_.on() && i < kInjectionsPerIteration && (wanted = tap_.next()) != nullptr; ++i) {
      release_.inject(wanted->frame(), wanted->port, wanted->vlan);
      tap_.done();
    }
  }

  // What falls due within an iteration would be late by half of it. An idle path makes it ready instead, waits, and
  // flushes it at its release time. Where the port would send it before, because others wait there, it waits first.
  // False when there was none.
  template <HostClock Clock>
  bool release_imminent(HostTime now, Clock& clock) noexcept {
    const Nanoseconds patience = clock.patience();
    if (held_.empty() || patience == Nanoseconds{0} || held_.next_due() - now > patience) {
      return false;
    }
    const HostTime due = held_.next_due();
    LinkSlot link{};
    std::size_t ready = 0;
    HostTime at = now;
    const auto wait = [&] {
      for (; at < due; at = clock.now()) {
      }
    };
    held_.pop_run(due, [&](const DueRun& run) {
      link = run.link;
      ready = run.frames.size();
      if (!release_.stay_until_flush(link, ready)) {
        wait();
      }
      release_.release(link, release_.damage(run, clock));
    });
    wait();
    release_.flush_port_to(link);
    ledger_.note_release_error(at - due, ready);
    return true;
  }

  [[gnu::noinline]] void set_leads() noexcept {
    held_.set_leads([this](LinkSlot link) { return release_.lead_to(link); });
  }

  void note_held() noexcept { ledger_.set_held(budget_.used() - air_.no_deliveries() + verdicts_.waiting()); }

  std::vector<Port*> ports_;         // by PortSlot
  std::vector<PortSlot> looked_at_;  // in iterate(); reserved
  PathParts parts_;
  DeliveryLedger<Pool> ledger_;
  Tap tap_;
  Hold held_;
  Slab<AirDelivery> on_air_;
  DeliveryBudget budget_;
  // From the last to the first, as each refers to the following ones.
  ReleaseStage<Port, Pool> release_;
  HomeStage<Pool> home_;
  HoldStage<Pool> hold_;
  RateStage<Pool> rates_;
  LinkStage<Pool> links_;
  AirStage<Pool> air_;
  VerdictStage<Pool> verdicts_;
  DecideStage<Port, Pool> decide_;
  ClassifyStage<Pool> classify_;
  CaptureStage<Port, Pool> capture_;
  ModemStage<Port> modems_;
  IterationMeter meter_;
};

}  // namespace hilgate
