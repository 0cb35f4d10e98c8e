// SPDX-License-Identifier: Apache-2.0
// The path of a frame: capture, classify, decide, hold, damage, release.
//
// One thread owns a FramePath. turn() does not allocate, lock, log, throw or make system calls; ports kick their
// rings in flush(). Every delivery ends as released or as one DropReason.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "clock/time.h"
#include "gateway/counters.h"
#include "gateway/damage.h"
#include "gateway/directory.h"
#include "gateway/flow_cache.h"
#include "gateway/frame.h"
#include "gateway/hold.h"
#include "gateway/link_fates.h"
#include "gateway/link_table_feed.h"
#include "gateway/medium.h"
#include "gateway/path_settings.h"
#include "gateway/rate_queues.h"
#include "gateway/slab.h"

namespace hilgate {

/// A clock for the path: now() is host time and does not go backwards.
template <class C>
concept HostClock = requires(C& clock) {
  { clock.now() } -> std::same_as<HostTime>;
};

template <FramePort Port, FramePool Pool>
class FramePath {
 public:
  static constexpr std::size_t kBurst = 64;

  /// `ports` by PortId. Ports, pool and feed must outlive the path.
  FramePath(const PathSettings& settings, std::vector<Port*> ports, Pool& pool, LinkTableFeed& feed)
      : settings_(settings),
        ports_(std::move(ports)),
        pool_(&pool),
        directory_(settings.robots),
        fates_(settings.seed, settings.air, feed),
        counters_(settings.air.rules.size()),
        hold_(settings.hold_frames, counters_.size()),
        on_air_(settings.on_air_limit()),
        notes_(settings.damage_notes()),
        medium_(settings.air, settings.seed),
        rates_(settings.air.rules, settings.hold_frames),
        flows_(ports_.size()) {
    for (const auto& station : settings.air.stations) {
      has_station_.push_back(station.has_value());
    }
  }

  FramePath(const FramePath&) = delete;
  FramePath& operator=(const FramePath&) = delete;

  /// One turn of the loop.
  template <HostClock Clock>
  void turn(Clock& clock) noexcept {
    if (fates_.take_table()) {
      ++totals_.windows;
    }
    capture();
    const HostTime now = clock.now();
    medium_.advance(now, [this](const AirResult& result) { leave_air(result); });
    rates_.serve(now, [this](LinkId link, const QueuedDelivery& sent, HostTime end) { leave_queue(link, sent, end); });
    hold_.pop_due(now, [this, now](LinkId link, std::span<HeldFrame> run) { release(link, run, now); });
    for (Port* port : ports_) {
      port->flush();
    }
    note_turn(now);
  }

  /// Drops whatever is held, as kShutdown. The path stays usable.
  void drain() noexcept {
    medium_.drain([this](NodeIndex list) { drop_list(list, DropReason::kShutdown); });
    rates_.drain([this](LinkId link, const QueuedDelivery& waiting) {
      drop_held(waiting.held, link, DropReason::kShutdown);
    });
    hold_.pop_due(HostTime::max(), [this](LinkId link, std::span<HeldFrame> run) {
      for (const HeldFrame& held : run) {
        drop_held(held, link, DropReason::kShutdown);
      }
    });
    totals_.held = 0;
  }

  /// By the owning thread between turns.
  [[nodiscard]] const PathTotals& totals() const { return totals_; }
  /// By LinkId; readable from any thread while the loop goes on.
  [[nodiscard]] const std::vector<LinkCounters>& links() const { return counters_; }
  [[nodiscard]] std::size_t bytes() const {
    return hold_.bytes() + on_air_.bytes() + notes_.bytes() + rates_.bytes() + fates_.bytes() +
           counters_.size() * sizeof(LinkCounters);
  }

 private:
  // ---- capture and classify ----

  void capture() noexcept {
    std::array<Frame, kBurst> burst;
    for (std::uint32_t i = 0; i < ports_.size(); ++i) {
      const std::size_t count = ports_[i]->capture(burst);
      totals_.frames_captured += count;
      for (std::size_t at = 0; at < count; ++at) {
        if (at + kPrefetchAhead < count) {
          __builtin_prefetch(burst[at + kPrefetchAhead].data);
        }
        totals_.bytes_captured += burst[at].length;
        classify(burst[at], PortId{i});
      }
    }
  }

  // Who sent it, who could hear it.
  void classify(const Frame& frame, PortId ingress) noexcept {
    const std::span<const std::byte> head(frame.data, frame.head_length);
    FlowCache& flows = flows_[ingress.value()];
    if (head.size() >= kEthernetHeader && frame.length <= settings_.frame_limit) {
      if (const FlowCache::Flow* flow = flows.find(head)) {
        return send({frame, flow->from, kEthernetHeader, false}, {&flow->to, 1});
      }
    }
    const auto ethernet = parse_ethernet(head);
    if (!ethernet) {
      return refuse(frame, DropReason::kRunt);
    }
    if (frame.length > settings_.frame_limit) {
      return refuse(frame, DropReason::kOversize);
    }
    const auto sender = directory_.sender(ingress, *ethernet);
    if (const DropReason* reason = std::get_if<DropReason>(&sender)) {
      return refuse(frame, *reason);
    }
    const Sending sending{frame, std::get<RobotId>(sender), ethernet->payload, ethernet->destination.is_group()};
    const auto receivers = directory_.receivers(sending.from, head, *ethernet);
    if (receivers.empty()) {
      return refuse(frame, DropReason::kNoReceiver);
    }
    if (ethernet->payload == kEthernetHeader && directory_.knows(ethernet->destination)) {
      flows.remember(head, {sending.from, receivers.front()});
    }
    send(sending, receivers);
  }

  // ---- decide ----

  void send(const Sending& sending, std::span<const RobotId> receivers) noexcept {
    totals_.deliveries += receivers.size();
    if (receivers.size() > 1) {
      pool_->share(sending.frame, static_cast<std::uint32_t>(receivers.size() - 1));
    }
    if (has_station_[sending.from.value()]) {
      send_on_medium(sending, receivers);
    } else {
      send_direct(sending, receivers);
    }
  }

  void send_direct(const Sending& sending, std::span<const RobotId> receivers) noexcept {
    for (const RobotId to : receivers) {
      const LinkId link = link_of(sending.from, to, directory_.robots());
      LinkNow& now = fates_.now(link);
      HeldFrame held = HeldFrame::of(sending.frame, sending.frame.arrived + now.delay);
      counters_[link.value()].deliveries.add();
      if (fates_.clean(sending, now)) {
        put_into_hold(held, link);
        continue;
      }
      const Fate fate = decide(sending, link, now, held);
      held.due = HostTime{fate.delay};
      if (fate.copy && !fate.lost) {
        send_copy(held, link, *fate.copy, [this, link, &sending](const HeldFrame& copy) {
          pass_on(copy, link, sending.frame.arrived, std::nullopt);
        });
      }
      pass_on(held, link, sending.frame.arrived, fate.lost);
    }
  }

  // One transmission, heard by all receivers, each in its own way. Lost ones take air time all the same.
  void send_on_medium(const Sending& sending, std::span<const RobotId> receivers) noexcept {
    const bool room = medium_.has_room(sending.from);
    AirJob job{.arrived = sending.frame.arrived};
    for (const RobotId to : receivers) {
      const LinkId link = link_of(sending.from, to, directory_.robots());
      LinkNow& now = fates_.now(link);
      HeldFrame held = HeldFrame::of(sending.frame, HostTime{});
      counters_[link.value()].deliveries.add();
      if (!room) {
        drop_held(held, link, DropReason::kQueueFull);
        continue;
      }
      const Fate fate = decide(sending, link, now, held);
      const PhyMode& mode = fates_.mode(now, sending.group);
      job.air_time = mode.air_time(sending.frame.length);
      job.ack = sending.group ? Nanoseconds{0} : mode.ack;
      job.failing_tries = sending.group ? 0 : fate.failing_tries;
      job.tries_left = tries_of(fates_.rules(link), sending.group);
      if (fate.lost) {
        drop_held(held, link, *fate.lost);
        continue;
      }
      // The medium times the repeats: what is left of the delay is not the sender's.
      held.due = HostTime{fate.delay - fates_.rules(link).retry_delay * fate.failing_tries};
      if (fate.copy) {
        send_copy(held, link, *fate.copy, [this, link, &job](const HeldFrame& copy) { put_on_air(copy, link, job); });
      }
      put_on_air(held, link, job);
    }
    if (room) {
      medium_.enqueue(sending.from, job);
    }
  }

  Fate decide(const Sending& sending, LinkId link, LinkNow& now, HeldFrame& held) noexcept {
    Fate fate = fates_.draw(sending, link, now);
    counters_[link.value()].failed_tries.add(fate.failing_tries);
    if (fate.marked) {
      ++totals_.marked;
      counters_[link.value()].marked.add();
    }
    held.loose = fate.loose;
    if (fate.errors > 0 && !note_damage(fates_.note(sending, link, now, fate), link, held)) {
      fate.lost = DropReason::kNoBuffer;
    }
    return fate;
  }

  // A second delivery of the same frame, with the same damage, `after` the first.
  template <class Put>
  void send_copy(const HeldFrame& held, LinkId link, Nanoseconds after, Put put) noexcept {
    HeldFrame copy = held;
    copy.due += after;
    pool_->share(held.frame(), 1);
    ++totals_.deliveries;
    ++totals_.duplicated;
    counters_[link.value()].deliveries.add();
    counters_[link.value()].duplicated.add();
    if (held.damage != kNoNode) {
      const DamageNote note = notes_[held.damage];
      if (!note_damage(note, link, copy)) {
        return drop_held(copy, link, DropReason::kNoBuffer);
      }
    }
    put(copy);
  }

  // Remembers the damage until release; when there are many damaged frames, does it at once.
  bool note_damage(const DamageNote& note, LinkId link, HeldFrame& held) noexcept {
    held.damage = notes_.take();
    if (held.damage == kNoNode) {
      return damage(note, link, held);
    }
    notes_[held.damage] = note;
    return true;
  }

  // ---- hold ----

  [[nodiscard]] std::size_t waiting() const noexcept { return hold_.size() + on_air_.used() + rates_.size(); }

  void put_into_hold(const HeldFrame& held, LinkId link) noexcept {
    const bool room = waiting() < settings_.hold_frames;
    if (!room || !(held.loose ? hold_.push_loose(link, held) : hold_.push(link, held))) {
      drop_held(held, link, DropReason::kHoldFull);
    }
  }

  // Behind the medium: the queue of the link's rate, then the hold. `held.due` counts from `ready` on, or from the end of
  // the transmission. What an outage or distance takes does not get as far as the queue.
  void pass_on(HeldFrame held, LinkId link, HostTime ready, std::optional<DropReason> lost) noexcept {
    const bool sent = !lost || (*lost != DropReason::kOutage && *lost != DropReason::kUnreachable);
    if (sent && rates_.limits(link)) {
      if (waiting() >= settings_.hold_frames) {
        return drop_held(held, link, DropReason::kHoldFull);
      }
      return rates_.push(link, {held, ready, lost}, [this, link](const QueuedDelivery& refused) {
        drop_held(refused.held, link, DropReason::kQueueFull);
      });
    }
    if (lost) {
      return drop_held(held, link, *lost);
    }
    held.due = ready + held.due.time_since_epoch();
    put_into_hold(held, link);
  }

  void leave_queue(LinkId link, const QueuedDelivery& sent, HostTime end) noexcept {
    if (sent.lost) {
      return drop_held(sent.held, link, *sent.lost);
    }
    HeldFrame held = sent.held;
    held.due = end + held.due.time_since_epoch();
    put_into_hold(held, link);
  }

  void put_on_air(const HeldFrame& held, LinkId link, AirJob& job) noexcept {
    const NodeIndex node = waiting() < settings_.hold_frames ? on_air_.take() : kNoNode;
    if (node == kNoNode) {
      return drop_held(held, link, DropReason::kHoldFull);
    }
    on_air_[node] = {held, link, job.deliveries};
    job.deliveries = node;
  }

  void leave_air(const AirResult& result) noexcept {
    if (result.lost) {
      return drop_list(result.deliveries, *result.lost);
    }
    for (NodeIndex node = result.deliveries; node != kNoNode;) {
      const AirDelivery delivery = on_air_[node];
      on_air_.give_back(node);
      node = delivery.next;
      pass_on(delivery.held, delivery.link, result.on_air_until, std::nullopt);
    }
  }

  // ---- damage and release ----

  void release(LinkId link, std::span<HeldFrame> run, HostTime now) noexcept {
    Port& port = port_to(link);
    std::uint64_t frames = 0;
    std::uint64_t bytes = 0;
    for (HeldFrame& held : run) {
      totals_.release_error.add(now - held.due);
      if (held.damage != kNoNode && !carry_out_damage(held, link)) {
        drop_held(held, link, DropReason::kNoBuffer);
      } else if (!port.release(held.frame())) {
        drop_held(held, link, DropReason::kTxFull);
      } else {
        ++frames;
        bytes += held.length;
      }
    }
    totals_.released += frames;
    totals_.bytes_released += bytes;
    counters_[link.value()].released.add(frames);
    counters_[link.value()].bytes_released.add(bytes);
  }

  bool carry_out_damage(HeldFrame& held, LinkId link) noexcept {
    const NodeIndex note = std::exchange(held.damage, kNoNode);
    const bool done = damage(notes_[note], link, held);
    notes_.give_back(note);
    return done;
  }

  // Flips the bits that fate has chosen, in a copy of its own if other receivers share the frame.
  bool damage(const DamageNote& note, LinkId link, HeldFrame& held) noexcept {
    if (pool_->is_shared(held.frame())) {
      const auto copy = pool_->copy(held.frame());
      if (!copy) {
        return false;
      }
      pool_->free(held.frame());
      HeldFrame mine = HeldFrame::of(*copy, held.due);
      mine.loose = held.loose;
      held = mine;
    }
    FrameBytes bytes;
    pool_->for_each_segment(held.frame(), [&bytes](std::span<std::byte> segment) { bytes.append(segment); });
    apply_errors(note, bytes);
    ++totals_.damaged;
    counters_[link.value()].damaged.add();
    return true;
  }

  Port& port_to(LinkId link) noexcept {
    const RobotId receiver{static_cast<std::uint32_t>(link.value() % directory_.robots())};
    return *ports_[directory_.port_of(receiver).value()];
  }

  // ---- drops and counts ----

  // A frame nobody is known to receive: one delivery, dropped.
  void refuse(const Frame& frame, DropReason reason) noexcept {
    ++totals_.deliveries;
    ++totals_.dropped[static_cast<std::size_t>(reason)];
    pool_->free(frame);
  }
  void drop_held(const HeldFrame& held, LinkId link, DropReason reason) noexcept {
    ++totals_.dropped[static_cast<std::size_t>(reason)];
    counters_[link.value()].dropped[static_cast<std::size_t>(reason)].add();
    if (held.damage != kNoNode) {
      notes_.give_back(held.damage);
    }
    pool_->free(held.frame());
  }
  void drop_list(NodeIndex list, DropReason reason) noexcept {
    while (list != kNoNode) {
      const AirDelivery delivery = on_air_[list];
      on_air_.give_back(list);
      list = delivery.next;
      drop_held(delivery.held, delivery.link, reason);
    }
  }

  void note_turn(HostTime now) noexcept {
    totals_.held = waiting();
    totals_.held_most = std::max(totals_.held_most, totals_.held);
    const auto length = static_cast<std::uint64_t>((now - last_turn_).count());
    if (totals_.turns++ > 0) {
      totals_.longest_turn_ns = std::max(totals_.longest_turn_ns, length);
    }
    last_turn_ = now;
  }

  static constexpr std::size_t kPrefetchAhead = 4;

  const PathSettings settings_;
  std::vector<Port*> ports_;
  Pool* pool_;
  Directory directory_;
  LinkFates fates_;
  std::vector<LinkCounters> counters_;  // by LinkId
  Hold hold_;
  Slab<AirDelivery> on_air_;
  Slab<DamageNote> notes_;
  Medium medium_;
  RateQueues rates_;
  std::vector<FlowCache> flows_;           // by PortId
  std::vector<std::uint8_t> has_station_;  // by RobotId
  PathTotals totals_;
  HostTime last_turn_{};
};

}  // namespace hilgate
