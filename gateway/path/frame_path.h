// SPDX-License-Identifier: Apache-2.0
// The path of a frame: capture, classify, decide, hold, damage, release.
//
// What an iteration does is read here; how, in the files of its stages, which are included below. One thread owns a
// FramePath. iterate() does not allocate, lock, log, throw or make system calls; ports kick their rings in flush().
// Every delivery ends as released or as one DropReason.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "clock/time.h"
#include "frame/counters.h"
#include "frame/frame.h"
#include "frame/slab.h"
#include "gateway/fate/link_table_feed.h"
#include "gateway/fate/reference_errors.h"
#include "gateway/hold/hold.h"
#include "gateway/medium/air_job.h"
#include "gateway/path/crossings.h"
#include "gateway/path/deliveries.h"
#include "gateway/path/packet_too_big.h"
#include "gateway/path/parking.h"
#include "gateway/path/path_parts.h"
#include "gateway/path/relays.h"
#include "gateway/path/tap.h"

namespace hilgate {

/// A clock for the path: now() is host time and does not go backwards. patience(): how long an iteration without
/// arrivals may wait for the next release, about the length of such an iteration; 0 for a clock that does not run by
/// itself.
template <class C>
concept HostClock = requires(C& clock) {
  { clock.now() } -> std::same_as<HostTime>;
  { clock.patience() } -> std::same_as<Nanoseconds>;
};

template <FramePort Port, FramePool Pool>
class FramePath {
 public:
  static constexpr std::size_t kBurst = 64;
  static constexpr std::size_t kOrdersPerIteration = 256;
  static constexpr std::size_t kCrossingsPerIteration = 256;
  static constexpr std::size_t kInjectionsPerIteration = 16;
  static constexpr std::size_t kReleasesPerIteration = 4 * kBurst;

  /// `ports` by PortId; null those of other cores' paths, to which `crossings` leads. Ports, pool, feed and rings must
  /// outlive the path.
  FramePath(const PathSettings& settings, std::vector<Port*> ports, Pool& pool, LinkTableFeed& feed,
            Crossings crossings = {})
      : frame_limit_(settings.frame_limit),
        reference_errors_(settings.reference_errors),
        hold_frames_(settings.hold_frames),
        ports_(std::move(ports)),
        crossings_(std::move(crossings)),
        parts_(settings, ports_.size(), feed),
        books_(pool, settings.air.rules.size(), settings.damage_notes()),
        hold_(settings.hold_frames, settings.air.rules.size()),
        on_air_(settings.on_air_limit()),
        relays_(on_air_.capacity()),
        parking_(settings.parked_packets, settings.robots.size()),
        tap_(settings.tap),
        too_big_(settings.robots.size()) {}

  FramePath(const FramePath&) = delete;
  FramePath& operator=(const FramePath&) = delete;

  /// One iteration of the loop.
  template <HostClock Clock>
  void iterate(Clock& clock) noexcept {
    if (parts_.fates.take_table()) {
      parts_.medium.set_signals(parts_.fates.signals());
      ++books_.totals.windows;
      if (parts_.infrastructure.on()) {
        relays_.take_attachments(*this, clock.now());
      }
    }
    receive_crossings();
    const bool idle = !capture();
    const HostTime now = clock.now();
    obey_orders(now);
    if (tap_.on()) {
      inject();
    }
    advance_air(now);
    parts_.rates.serve(now,
                       [this](LinkId link, const QueuedDelivery& sent, HostTime end) { leave_queue(link, sent, end); });
    release_due(now, clock);
    flush();
    if (idle) {
      release_imminent(now, clock);
    }
    wake_receivers();
    note_iteration(now);
  }

  /// Goes on by `next` from here, and leaves the old parts there. Between iterations; `next` was made for as many
  /// places.
  void change(PathParts& next, HostTime now) noexcept {
    next.take_over(parts_);
    std::swap(parts_, next);
    PathParts& old = next;
    parts_.medium.take_over(old.medium, now, [this](const AirResult& result) { leave_air(result); });
    relays_.take_attachments(*this, now);
    old.rates.drain(
        [this, &old, now](LinkId link, const QueuedDelivery& waiting) { requeue(link, waiting, old, now); });
    ++books_.totals.changes;
    note_held();
  }

  /// Drops whatever is held, as kShutdown. The path stays usable.
  void drain() noexcept {
    parking_.drain([this](Parking::Place& place) { forget(place, DropReason::kShutdown); });
    parts_.medium.drain([this](NodeIndex list) { drop_list(list, DropReason::kShutdown); });
    relays_.drain([this](NodeIndex list) { drop_list(list, DropReason::kShutdown); });
    parts_.rates.drain(
        [this](LinkId link, const QueuedDelivery& waiting) { books_.drop(waiting.held, link, DropReason::kShutdown); });
    hold_.pop_due(HostTime::max(), [this](LinkId link, std::span<HeldFrame> run) {
      for (const HeldFrame& held : run) {
        books_.drop(held, link, DropReason::kShutdown);
      }
    });
    each_crossing(std::numeric_limits<std::size_t>::max(), [this](const Crossing& crossing) {
      books_.drop(crossing.held, crossing.link, DropReason::kShutdown);
    });
    books_.totals.held = 0;
  }

  /// By the owning thread between iterations.
  [[nodiscard]] const PathTotals& totals() const { return books_.totals; }
  /// By LinkId; readable from any thread while the loop goes on.
  [[nodiscard]] const std::vector<LinkCounters>& links() const { return books_.links(); }
  /// What the parts of a change are made to follow; read by the control thread only as far as their construction needs.
  [[nodiscard]] const PathParts& parts() const { return parts_; }
  /// Where frames are judged that wait for verdicts.
  [[nodiscard]] VerdictRings& verdicts() { return parking_.rings(); }
  /// What passes, and what is to be sent beside it.
  [[nodiscard]] TapRings& tap() { return tap_.rings(); }
  // ---- between iterations, for a loop that would sleep (frame_path_idle.h) ----

  /// Changes whenever an iteration has moved a frame.
  [[nodiscard]] std::uint64_t activity() const noexcept;
  /// When the path next does something unasked; HostTime::max() for never.
  [[nodiscard]] HostTime next_due() const noexcept;
  /// Other threads have left something for the next iteration.
  [[nodiscard]] bool has_input() noexcept;
  /// New link tables are to be taken up at once, and not only with the next frame.
  [[nodiscard]] bool wants_tables() const noexcept { return parts_.infrastructure.on(); }
  /// Some port needs iterations although nothing arrives.
  [[nodiscard]] bool ports_unfinished() const noexcept;
  /// Every frame that arrives makes a descriptor of each_arrival_fd() readable.
  [[nodiscard]] bool arrivals_wake() const noexcept;
  template <class Each>
  void each_arrival_fd(Each each) const noexcept;
  /// The loop slept until `woke`: that was no iteration.
  void note_sleep(HostTime woke) noexcept { last_iteration_ = woke; }

  [[nodiscard]] std::size_t bytes() const {
    return parking_.bytes() + tap_.bytes() + hold_.bytes() + on_air_.bytes() + relays_.bytes() + parts_.rates.bytes() +
           parts_.fates.bytes() + books_.bytes();
  }

 private:
  friend class Relays;

  // ---- capture and classify (frame_path_capture.h) ----

  bool capture() noexcept;
  static void prefetch(std::span<const Frame> frames) noexcept;
  std::size_t take_train(std::span<const Frame> frames, PortId ingress) noexcept;
  void classify(const Frame& frame, PortId ingress) noexcept;

  // ---- beside the air (frame_path_capture.h) ----

  void pass_ptp(const Sending& sending, PortId ingress, std::span<const RobotId> receivers) noexcept;
  void inject() noexcept;
  void tell_too_big(const Sending& sending, std::uint32_t mtu, RobotId receiver) noexcept;

  // ---- decide (frame_path_decide.h) ----

  [[nodiscard]] LinkId link_between(RobotId from, RobotId to) const noexcept;
  void count_deliveries(RobotId from, std::span<const RobotId> receivers) noexcept;
  void send(const Sending& sending, std::span<const RobotId> receivers) noexcept;
  void send_along(const Sending& sending, LinkId link) noexcept;
  void send_on_medium(const Sending& sending, std::span<const RobotId> receivers) noexcept;
  void join_transmission(const Sending& sending, HeldFrame held, const Passage& passage, AirJob& job) noexcept;
  Fate decide(const Sending& sending, const Passage& passage, LinkNow& now, HeldFrame& held) noexcept;
  std::optional<DropReason> account(const Fate& fate, const Sending& sending, const Passage& passage, LinkNow& now,
                                    HeldFrame& held) noexcept;
  std::optional<HeldFrame> copy_of(const HeldFrame& held, LinkId link, Nanoseconds after) noexcept;

  // ---- verdicts of a network simulator (frame_path_verdicts.h) ----

  void park(const Sending& sending, std::span<const RobotId> receivers) noexcept;
  void obey_orders(HostTime now) noexcept;
  void obey(const ParkedOrder& order, Parking::Place& place, HostTime now) noexcept;
  void deliver(const ParkedOrder& order, const Parking::Place& place, LinkId link, HostTime now) noexcept;
  std::optional<Frame> frame_of(const ParkedOrder& order, const Parking::Place& place, LinkId link) noexcept;
  void forget(Parking::Place& place, DropReason reason) noexcept;

  // ---- medium, queue, hold (frame_path_air.h) ----

  // Deliveries in the hold or on their way to it; parked ones have a limit of their own.
  [[nodiscard]] std::size_t waiting() const noexcept { return hold_.size() + on_air_.used() + parts_.rates.size(); }
  void put_on_air(const Sending& sending, const HeldFrame& held, const Passage& passage, AirJob& job) noexcept;
  void advance_air(HostTime now) noexcept;
  void leave_air(const AirResult& result) noexcept;
  [[nodiscard]] bool heard_through(const AirResult& result, LinkId link) const noexcept;
  void drop_list(NodeIndex list, DropReason reason) noexcept;
  void send_on(const HeldFrame& held, LinkId link, HostTime ready, const Fate& fate) noexcept;
  void pass_on(HeldFrame held, LinkId link, HostTime ready, std::optional<DropReason> lost) noexcept;
  void leave_queue(LinkId link, const QueuedDelivery& sent, HostTime end) noexcept;
  void requeue(LinkId link, const QueuedDelivery& waiting, const PathParts& old, HostTime now) noexcept;
  void put_into_hold(const HeldFrame& held, LinkId link) noexcept;

  // ---- crossing to other cores (frame_path_release.h) ----

  void cross(const HeldFrame& held, LinkId link, CrossingRing& ring) noexcept;
  void receive_crossings() noexcept;
  template <class Each>
  void each_crossing(std::size_t most, Each each) noexcept;

  // ---- release (frame_path_release.h) ----

  [[nodiscard]] PortId port_to(LinkId link) const noexcept;
  void flush() noexcept;
  template <HostClock Clock>
  void release_imminent(HostTime now, Clock& clock) noexcept;
  template <HostClock Clock>
  void release_due(HostTime now, Clock& clock) noexcept;
  template <HostClock Clock>
  void release(LinkId link, std::span<HeldFrame> run, Clock& clock) noexcept;
  void note_held() noexcept;
  void note_iteration(HostTime now) noexcept;

  // ---- idle (frame_path_idle.h) ----

  template <class Is>
  [[nodiscard]] bool any_port(Is is) const noexcept;
  void wake_receivers() noexcept;

  static constexpr std::size_t kPrefetchAhead = 4;

  const std::uint32_t frame_limit_;
  const bool reference_errors_;
  const std::size_t hold_frames_;
  std::vector<Port*> ports_;  // by PortId
  Crossings crossings_;
  PathParts parts_;
  Deliveries<Pool> books_;
  Hold hold_;
  Slab<AirDelivery> on_air_;
  Relays relays_;
  Parking parking_;
  Tap tap_;
  PacketTooBig too_big_;
  HostTime last_iteration_{};
};

}  // namespace hilgate

#include "gateway/path/frame_path_air.h"
#include "gateway/path/frame_path_capture.h"
#include "gateway/path/frame_path_decide.h"
#include "gateway/path/frame_path_idle.h"
#include "gateway/path/frame_path_release.h"
#include "gateway/path/frame_path_verdicts.h"
