// SPDX-License-Identifier: Apache-2.0
// The path of a frame: capture, classify, decide, hold, damage, release.
//
// One thread owns a FramePath. turn() does not allocate, lock, log, throw or make system calls; ports kick their
// rings in flush(). Every delivery ends as released or as one DropReason.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "clock/time.h"
#include "gateway/counters.h"
#include "gateway/damage.h"
#include "gateway/directory.h"
#include "gateway/fate.h"
#include "gateway/frame.h"
#include "gateway/held_frame.h"
#include "gateway/hold.h"
#include "gateway/link_table_feed.h"
#include "gateway/medium.h"
#include "netsim_link/air_plan.h"

namespace hilgate {

struct PathSettings {
  std::uint64_t seed = 1;
  std::uint32_t frame_limit = 9018;  // bytes without FCS; longer frames are dropped
  std::size_t hold_frames = 65536;   // deliveries held, those waiting for the medium included
  std::vector<RobotEntry> robots;    // by RobotId
  AirPlan air;
};

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
        feed_(&feed),
        directory_(settings.robots),
        links_(settings.robots.size() * settings.robots.size()),
        memory_(links_),
        counters_(links_),
        frames_(settings.hold_frames),
        notes_(settings.hold_frames),
        hold_(frames_, links_),
        medium_(settings.air, settings.seed) {}

  FramePath(const FramePath&) = delete;
  FramePath& operator=(const FramePath&) = delete;

  /// One turn of the loop.
  template <HostClock Clock>
  void turn(Clock& clock) noexcept {
    if (feed_->take()) {
      ++totals_.windows;
    }
    capture();
    const HostTime now = clock.now();
    medium_.advance(now, [this](const AirResult& result) { leave_air(result); });
    release_due(now);
    for (Port* port : ports_) {
      port->flush();
    }
    note_turn(now);
  }

  /// Drops whatever is held, as kShutdown. The path stays usable.
  void drain() noexcept {
    medium_.drain([this](NodeIndex list) { drop_list(list, DropReason::kShutdown); });
    for (NodeIndex node = hold_.pop_due(HostTime::max()); node != kNoNode; node = hold_.pop_due(HostTime::max())) {
      drop_held(node, DropReason::kShutdown);
    }
    totals_.held = 0;
  }

  /// By the owning thread between turns.
  [[nodiscard]] const PathTotals& totals() const { return totals_; }
  /// By LinkId; readable from any thread while the loop goes on.
  [[nodiscard]] const std::vector<LinkCounters>& links() const { return counters_; }
  [[nodiscard]] std::size_t bytes() const {
    return frames_.bytes() + notes_.bytes() + links_ * (sizeof(LinkMemory) + sizeof(LinkCounters));
  }

 private:
  void capture() noexcept {
    std::array<Frame, kBurst> burst;
    for (std::uint32_t i = 0; i < ports_.size(); ++i) {
      const std::size_t count = ports_[i]->capture(burst);
      for (const Frame& frame : std::span(burst).first(count)) {
        classify(frame, PortId{i});
      }
    }
  }

  // Who sent it, who could hear it.
  void classify(const Frame& frame, PortId ingress) noexcept {
    ++totals_.frames_captured;
    totals_.bytes_captured += frame.length;
    const std::span<const std::byte> head(frame.data, frame.head_length);
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
    const RobotId from = std::get<RobotId>(sender);
    const auto receivers = directory_.receivers(from, head, *ethernet);
    if (receivers.empty()) {
      return refuse(frame, DropReason::kNoReceiver);
    }
    totals_.deliveries += receivers.size();
    if (receivers.size() > 1) {
      pool_->share(frame, static_cast<std::uint32_t>(receivers.size() - 1));
    }
    if (settings_.air.stations[from.value()]) {
      send_on_medium(frame, from, receivers, ethernet->destination.is_group());
    } else {
      send_direct(frame, from, receivers, ethernet->destination.is_group());
    }
  }

  void send_direct(const Frame& frame, RobotId from, std::span<const RobotId> receivers, bool group) noexcept {
    for (const RobotId to : receivers) {
      const LinkId link = link_of(from, to, directory_.robots());
      const Fate fate = decide(frame, link, group);
      const NodeIndex node = admit(frame, link, fate);
      if (node != kNoNode) {
        frames_[node].due = frame.arrived + fate.delay;
        hold_.push(node);
      }
    }
  }

  // One transmission, heard by all receivers, each in its own way. Lost ones take air time all the same.
  void send_on_medium(const Frame& frame, RobotId from, std::span<const RobotId> receivers, bool group) noexcept {
    if (!medium_.has_room(from)) {
      for (const RobotId to : receivers) {
        drop(frame, link_of(from, to, directory_.robots()), DropReason::kQueueFull);
      }
      return;
    }
    AirJob job{.arrived = frame.arrived};
    for (const RobotId to : receivers) {
      const LinkId link = link_of(from, to, directory_.robots());
      const PhyMode& mode = mode_of(link, group);
      const Fate fate = decide(frame, link, group);
      job.air_time = mode.air_time(frame.length);
      job.ack = group ? Nanoseconds{0} : mode.ack;
      job.failing_tries = group ? 0 : fate.failing_tries;
      job.tries_left = tries_of(settings_.air.rules[link.value()], group);
      const NodeIndex node = admit(frame, link, fate);
      if (node != kNoNode) {
        frames_[node].due = HostTime{fate.delay};  // becomes an instant when the frame leaves the air
        frames_[node].next = job.deliveries;
        job.deliveries = node;
      }
    }
    medium_.enqueue(from, job);
  }

  Fate decide(const Frame& frame, LinkId link, bool group) noexcept {
    const LinkState& state = feed_->front().links[link.value()];
    const FateInputs inputs{&state,
                            &settings_.air.rules[link.value()],
                            &mode_of(link, group),
                            {frame.data, frame.head_length},
                            frame.length,
                            group};
    Fate fate = draw_fate(settings_.seed, link, inputs, memory_[link.value()]);
    counters_[link.value()].transmissions.add(fate.failing_tries + (fate.lost ? 0 : 1));
    return fate;
  }

  [[nodiscard]] const PhyMode& mode_of(LinkId link, bool group) const noexcept {
    const LinkState& state = feed_->front().links[link.value()];
    return settings_.air.modes[group ? state.multicast_mode : state.unicast_mode];
  }

  // A held frame for a delivery that will arrive; kNoNode when it is lost, which is then counted.
  NodeIndex admit(const Frame& frame, LinkId link, const Fate& fate) noexcept {
    if (fate.lost) {
      drop(frame, link, *fate.lost);
      return kNoNode;
    }
    const NodeIndex node = frames_.take();
    if (node == kNoNode) {
      drop(frame, link, DropReason::kHoldFull);
      return kNoNode;
    }
    counters_[link.value()].deliveries.add();
    HeldFrame& held = frames_[node];
    held = {.frame = frame, .link = link};
    if (fate.errors > 0) {
      held.damage = notes_.take();  // as many notes as held frames: never short
      notes_[held.damage] = fate.damage;
    }
    if (fate.marked) {
      ++totals_.marked;
      counters_[link.value()].marked.add();
    }
    return node;
  }

  void leave_air(const AirResult& result) noexcept {
    if (!result.delivered) {
      return drop_list(result.deliveries, DropReason::kCollision);
    }
    for (NodeIndex node = result.deliveries; node != kNoNode;) {
      HeldFrame& held = frames_[node];
      const NodeIndex next = held.next;
      held.due = result.on_air_until + held.due.time_since_epoch();
      hold_.push(node);
      node = next;
    }
  }

  void release_due(HostTime now) noexcept {
    for (NodeIndex node = hold_.pop_due(now); node != kNoNode; node = hold_.pop_due(now)) {
      HeldFrame& held = frames_[node];
      totals_.release_error.add(now - held.due);
      if (held.damage != kNoNode && !damage(held)) {
        drop_held(node, DropReason::kNoBuffer);
        continue;
      }
      if (!port_to(held.link).release(held.frame)) {
        drop_held(node, DropReason::kTxFull);
        continue;
      }
      ++totals_.released;
      totals_.bytes_released += held.frame.length;
      counters_[held.link.value()].released.add();
      counters_[held.link.value()].bytes_released.add(held.frame.length);
      give_back(node);
    }
  }

  // Flips the bits that fate has chosen, in a copy of its own if other receivers share the frame.
  bool damage(HeldFrame& held) noexcept {
    if (pool_->is_shared(held.frame)) {
      const auto copy = pool_->copy(held.frame);
      if (!copy) {
        return false;
      }
      pool_->free(held.frame);
      held.frame = *copy;
    }
    FrameBytes bytes;
    pool_->for_each_segment(held.frame, [&bytes](std::span<std::byte> segment) { bytes.append(segment); });
    apply_errors(notes_[held.damage], bytes);
    ++totals_.damaged;
    counters_[held.link.value()].damaged.add();
    return true;
  }

  Port& port_to(LinkId link) noexcept {
    const RobotId receiver{static_cast<std::uint32_t>(link.value() % directory_.robots())};
    return *ports_[directory_.port_of(receiver).value()];
  }

  // A frame nobody is known to receive: one delivery, dropped.
  void refuse(const Frame& frame, DropReason reason) noexcept {
    ++totals_.deliveries;
    ++totals_.dropped[static_cast<std::size_t>(reason)];
    pool_->free(frame);
  }
  void drop(const Frame& frame, LinkId link, DropReason reason) noexcept {
    counters_[link.value()].deliveries.add();
    count_drop(link, reason);
    pool_->free(frame);
  }
  void drop_held(NodeIndex node, DropReason reason) noexcept {
    count_drop(frames_[node].link, reason);
    pool_->free(frames_[node].frame);
    give_back(node);
  }
  void drop_list(NodeIndex list, DropReason reason) noexcept {
    while (list != kNoNode) {
      const NodeIndex node = list;
      list = frames_[node].next;
      drop_held(node, reason);
    }
  }
  void count_drop(LinkId link, DropReason reason) noexcept {
    ++totals_.dropped[static_cast<std::size_t>(reason)];
    counters_[link.value()].dropped[static_cast<std::size_t>(reason)].add();
  }
  void give_back(NodeIndex node) noexcept {
    if (frames_[node].damage != kNoNode) {
      notes_.give_back(frames_[node].damage);
    }
    frames_.give_back(node);
  }

  void note_turn(HostTime now) noexcept {
    totals_.held = frames_.used();
    totals_.held_most = totals_.held > totals_.held_most ? totals_.held : totals_.held_most;
    const auto length = static_cast<std::uint64_t>((now - last_turn_).count());
    if (totals_.turns++ > 0 && length > totals_.longest_turn_ns) {
      totals_.longest_turn_ns = length;
    }
    last_turn_ = now;
  }

  const PathSettings settings_;
  std::vector<Port*> ports_;
  Pool* pool_;
  LinkTableFeed* feed_;
  Directory directory_;
  std::size_t links_;
  std::vector<LinkMemory> memory_;      // by LinkId
  std::vector<LinkCounters> counters_;  // by LinkId
  HeldFrames frames_;
  Slab<DamageNote> notes_;
  Hold hold_;
  Medium medium_;
  PathTotals totals_;
  HostTime last_turn_{};
};

}  // namespace hilgate
