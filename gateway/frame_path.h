// SPDX-License-Identifier: Apache-2.0
// The path of a frame: capture, classify, decide, hold, damage, release.
//
// One thread owns a FramePath. turn() does not allocate, lock, log, throw or make system calls; ports kick their
// rings in flush(). Every delivery ends as released or as one DropReason.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "clock/time.h"
#include "gateway/counters.h"
#include "gateway/damage.h"
#include "gateway/directory.h"
#include "gateway/fate.h"
#include "gateway/flow_cache.h"
#include "gateway/frame.h"
#include "gateway/hold.h"
#include "gateway/link_now.h"
#include "gateway/link_table_feed.h"
#include "gateway/medium.h"
#include "gateway/parking.h"
#include "gateway/path_settings.h"
#include "gateway/reference_errors.h"
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
        feed_(&feed),
        directory_(settings.robots),
        links_(settings.robots.size() * settings.robots.size()),
        counters_(links_.size()),
        hold_(settings.hold_frames, links_.size()),
        on_air_(settings.on_air_limit()),
        notes_(settings.damage_notes()),
        medium_(settings.air, settings.seed),
        parking_(settings.parked_packets, settings.robots.size()),
        flows_(ports_.size()) {
    for (const auto& station : settings.air.stations) {
      has_station_.push_back(station.has_value());
    }
    for (const RobotEntry& robot : settings.robots) {
      ipv4_.push_back(first_ipv4(robot.ips));
    }
    for (std::uint32_t link = 0; link < links_.size(); ++link) {
      links_[link].meter = first_meter(settings.seed, LinkId{link});
    }
  }

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
    obey_orders(now);
    medium_.advance(now, [this](const AirResult& result) { leave_air(result); });
    hold_.pop_due(now, [this, now](LinkId link, std::span<HeldFrame> run) { release(link, run, now); });
    for (Port* port : ports_) {
      port->flush();
    }
    note_turn(now);
  }

  /// Drops whatever is held, as kShutdown. The path stays usable.
  void drain() noexcept {
    parking_.drain([this](Parking::Place& place) { forget(place, DropReason::kShutdown); });
    medium_.drain([this](NodeIndex list) { drop_list(list, DropReason::kShutdown); });
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
  /// Where frames are judged that wait for verdicts.
  [[nodiscard]] VerdictRings& verdicts() { return parking_.rings(); }
  [[nodiscard]] std::size_t bytes() const {
    return parking_.bytes() + hold_.bytes() + on_air_.bytes() + notes_.bytes() +
           links_.size() * (sizeof(LinkNow) + sizeof(LinkCounters));
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

  struct Sending {
    const Frame& frame;
    RobotId from;
    std::uint32_t payload;  // offset behind the MAC header
    bool group;
  };

  void send(const Sending& sending, std::span<const RobotId> receivers) noexcept {
    totals_.deliveries += receivers.size();
    if (parking_.on()) {
      return park(sending, receivers);
    }
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
      LinkNow& now = link_now(link);
      HeldFrame held = HeldFrame::of(sending.frame, sending.frame.arrived + now.delay);
      counters_[link.value()].deliveries.add();
      if (!arrives_clean(now, settings_.air.modes[now.mode(sending.group)], sending.frame.length, sending.payload,
                         sending.group)) {
        const Fate fate = decide(sending, link, now, held);
        if (fate.lost) {
          drop_held(held, link, *fate.lost);
          continue;
        }
        held.due = sending.frame.arrived + fate.delay;
      }
      put_into_hold(held, link);
    }
  }

  // One transmission, heard by all receivers, each in its own way. Lost ones take air time all the same.
  void send_on_medium(const Sending& sending, std::span<const RobotId> receivers) noexcept {
    const bool room = medium_.has_room(sending.from);
    AirJob job{.arrived = sending.frame.arrived};
    for (const RobotId to : receivers) {
      const LinkId link = link_of(sending.from, to, directory_.robots());
      LinkNow& now = link_now(link);
      HeldFrame held = HeldFrame::of(sending.frame, HostTime{});
      counters_[link.value()].deliveries.add();
      if (!room) {
        drop_held(held, link, DropReason::kQueueFull);
        continue;
      }
      const Fate fate = decide(sending, link, now, held);
      const PhyMode& mode = settings_.air.modes[now.mode(sending.group)];
      job.air_time = mode.air_time(sending.frame.length);
      job.ack = sending.group ? Nanoseconds{0} : mode.ack;
      job.failing_tries = sending.group ? 0 : fate.failing_tries;
      job.tries_left = tries_of(settings_.air.rules[link.value()], sending.group);
      if (fate.lost) {
        drop_held(held, link, *fate.lost);
        continue;
      }
      held.due = HostTime{now.delay};  // the medium times the repeats
      put_on_air(held, link, job);
    }
    if (room) {
      medium_.enqueue(sending.from, job);
    }
  }

  Fate decide(const Sending& sending, LinkId link, LinkNow& now, HeldFrame& held) noexcept {
    const FateInputs inputs{feed_->front().links[link.value()],
                            settings_.air.rules[link.value()],
                            settings_.air.modes[now.mode(sending.group)],
                            {sending.frame.data, sending.frame.head_length},
                            sending.frame.length,
                            sending.group};
    Fate fate = draw_fate(settings_.seed, link, inputs, now);
    counters_[link.value()].failed_tries.add(fate.failing_tries);
    if (fate.marked) {
      ++totals_.marked;
      counters_[link.value()].marked.add();
    }
    if (fate.errors > 0 && !note_damage(damage_note(settings_.seed, link, inputs, now, fate), link, held)) {
      fate.lost = DropReason::kNoBuffer;
    }
    return fate;
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

  // The link with the newest table folded in.
  LinkNow& link_now(LinkId link) noexcept {
    LinkNow& now = links_[link.value()];
    const std::uint64_t version = totals_.windows + 1;
    if (now.table != version) {
      now.fold(feed_->front().links[link.value()], settings_.air.rules[link.value()], version);
    }
    return now;
  }

  // ---- verdicts of a network simulator ----

  void park(const Sending& sending, std::span<const RobotId> receivers) noexcept {
    for (const RobotId to : receivers) {
      counters_[link_of(sending.from, to, directory_.robots()).value()].deliveries.add();
    }
    const auto refused = parking_.park(
        {.frame = sending.frame, .from = sending.from, .payload = sending.payload, .group = sending.group}, receivers);
    if (refused) {
      for (const RobotId to : receivers) {
        count_drop(link_of(sending.from, to, directory_.robots()), *refused);
      }
      pool_->free(sending.frame);
    }
  }

  void obey_orders(HostTime now) noexcept {
    ParkedOrder order;
    for (std::size_t i = 0; i < kOrdersATurn && parking_.next_order(order); ++i) {
      if (Parking::Place* place = parking_.find(order.packet)) {
        obey(order, *place, now);
      }
    }
  }

  void obey(const ParkedOrder& order, Parking::Place& place, HostTime now) noexcept {
    if (order.what == ParkedOrder::What::kForget) {
      return forget(place, order.reason);
    }
    const Parking::Claim claim = parking_.decide(place, order.to);
    if (claim == Parking::Claim::kNobody) {
      return;
    }
    const LinkId link = link_of(place.from, order.to, directory_.robots());
    if (order.what == ParkedOrder::What::kDeliver) {
      if (claim == Parking::Claim::kAgain) {
        ++totals_.copies;
        ++totals_.deliveries;
        counters_[link.value()].deliveries.add();
      }
      deliver(order, place, link, now);
    } else if (claim == Parking::Claim::kFirst) {
      count_drop(link, order.reason);
    }
  }

  // The rate of the verdict takes the place of a link's state; what configuration adds to the link stays.
  void deliver(const ParkedOrder& order, const Parking::Place& place, LinkId link, HostTime now) noexcept {
    const auto frame = frame_of(order, place, link);
    if (!frame) {
      return;
    }
    const BitHazard hazard{settings_.reference_errors ? 0 : -std::log1p(-order.ber)};
    LinkNow& state = links_[link.value()];
    state.fold({.unicast = hazard, .multicast = hazard}, settings_.air.rules[link.value()], 0);
    const HostTime asked = order.due == VerdictRings::kNow ? now : order.due + state.delay;
    if (asked < now) {
      totals_.asked_late.add(now - asked);
    }
    HeldFrame held = HeldFrame::of(*frame, std::max(asked, now));
    const Fate fate = decide({*frame, place.from, place.payload, place.group}, link, state, held);
    if (fate.lost) {
      return drop_held(held, link, *fate.lost);
    }
    held.due += fate.delay - state.delay;
    put_into_hold(held, link);
  }

  // The delivery's frame: the parked one, or a copy of its own for what the reference does to it.
  std::optional<Frame> frame_of(const ParkedOrder& order, const Parking::Place& place, LinkId link) noexcept {
    if (!settings_.reference_errors) {
      pool_->share(place.frame, 1);
      return place.frame;
    }
    auto frame = place.frame.head_length == place.frame.length ? pool_->copy(place.frame) : std::nullopt;
    if (!frame) {
      count_drop(link, DropReason::kNoBuffer);
      return frame;
    }
    const std::uint32_t ip = place.group ? ipv4_[order.to.value()] : 0;
    if (!spoil_as_reference({frame->data, frame->length}, place.payload, ip, order.ber,
                            link_random(settings_.seed, link, links_[link.value()].frames))) {
      ++links_[link.value()].frames;
      count_drop(link, DropReason::kHeaderHit);
      pool_->free(*frame);
      frame.reset();
    }
    return frame;
  }

  void forget(Parking::Place& place, DropReason reason) noexcept {
    parking_.clear(place, [&](RobotId to) { count_drop(link_of(place.from, to, directory_.robots()), reason); });
    pool_->free(place.frame);
  }

  // ---- hold ----

  void put_into_hold(const HeldFrame& held, LinkId link) noexcept {
    if (hold_.size() + on_air_.used() >= settings_.hold_frames || !hold_.push(link, held)) {
      drop_held(held, link, DropReason::kHoldFull);
    }
  }

  void put_on_air(const HeldFrame& held, LinkId link, AirJob& job) noexcept {
    const NodeIndex node = hold_.size() + on_air_.used() < settings_.hold_frames ? on_air_.take() : kNoNode;
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
      AirDelivery delivery = on_air_[node];
      on_air_.give_back(node);
      node = delivery.next;
      delivery.held.due = result.on_air_until + delivery.held.due.time_since_epoch();
      put_into_hold(delivery.held, delivery.link);
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
      held = HeldFrame::of(*copy, held.due);
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
  void count_drop(LinkId link, DropReason reason) noexcept {
    ++totals_.dropped[static_cast<std::size_t>(reason)];
    counters_[link.value()].dropped[static_cast<std::size_t>(reason)].add();
  }
  void drop_held(const HeldFrame& held, LinkId link, DropReason reason) noexcept {
    count_drop(link, reason);
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
    totals_.held = hold_.size() + on_air_.used() + parking_.waiting();
    totals_.held_most = std::max(totals_.held_most, totals_.held);
    const auto length = static_cast<std::uint64_t>((now - last_turn_).count());
    if (totals_.turns++ > 0) {
      totals_.longest_turn_ns = std::max(totals_.longest_turn_ns, length);
    }
    last_turn_ = now;
  }

  static constexpr std::size_t kPrefetchAhead = 4;
  static constexpr std::size_t kOrdersATurn = 256;

  const PathSettings settings_;
  std::vector<Port*> ports_;
  Pool* pool_;
  LinkTableFeed* feed_;
  Directory directory_;
  std::vector<LinkNow> links_;          // by LinkId
  std::vector<LinkCounters> counters_;  // by LinkId
  Hold hold_;
  Slab<AirDelivery> on_air_;
  Slab<DamageNote> notes_;
  Medium medium_;
  Parking parking_;
  std::vector<FlowCache> flows_;           // by PortId
  std::vector<std::uint8_t> has_station_;  // by RobotId
  std::vector<std::uint32_t> ipv4_;        // by RobotId, 0 without
  PathTotals totals_;
  HostTime last_turn_{};
};

}  // namespace hilgate
