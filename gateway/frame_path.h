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
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "clock/time.h"
#include "gateway/air_job.h"
#include "gateway/counters.h"
#include "gateway/crossings.h"
#include "gateway/deliveries.h"
#include "gateway/frame.h"
#include "gateway/hold.h"
#include "gateway/link_table_feed.h"
#include "gateway/packet_too_big.h"
#include "gateway/parking.h"
#include "gateway/path_parts.h"
#include "gateway/reference_errors.h"
#include "gateway/relays.h"
#include "gateway/slab.h"
#include "gateway/tap.h"

namespace hilgate {

/// A clock for the path: now() is host time and does not go backwards. patience(): how long a turn without arrivals may
/// wait for the next release, about the length of such a turn; 0 for a clock that does not run by itself.
template <class C>
concept HostClock = requires(C& clock) {
  { clock.now() } -> std::same_as<HostTime>;
  { clock.patience() } -> std::same_as<Nanoseconds>;
};

template <FramePort Port, FramePool Pool>
class FramePath {
 public:
  static constexpr std::size_t kBurst = 64;
  static constexpr std::size_t kOrdersATurn = 256;
  static constexpr std::size_t kCrossingsATurn = 256;
  static constexpr std::size_t kInjectionsATurn = 16;
  static constexpr std::size_t kReleasesATurn = 4 * kBurst;

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

  /// One turn of the loop.
  template <HostClock Clock>
  void turn(Clock& clock) noexcept {
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
    note_turn(now);
  }

  /// Goes on by `next` from here, and leaves the old parts there. Between turns; `next` was made for as many places.
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

  /// By the owning thread between turns.
  [[nodiscard]] const PathTotals& totals() const { return books_.totals; }
  /// By LinkId; readable from any thread while the loop goes on.
  [[nodiscard]] const std::vector<LinkCounters>& links() const { return books_.links(); }
  /// What the parts of a change are made to follow; read by the control thread only as far as their construction needs.
  [[nodiscard]] const PathParts& parts() const { return parts_; }
  /// Where frames are judged that wait for verdicts.
  [[nodiscard]] VerdictRings& verdicts() { return parking_.rings(); }
  /// What passes, and what is to be sent beside it.
  [[nodiscard]] TapRings& tap() { return tap_.rings(); }
  [[nodiscard]] std::size_t bytes() const {
    return parking_.bytes() + tap_.bytes() + hold_.bytes() + on_air_.bytes() + relays_.bytes() + parts_.rates.bytes() +
           parts_.fates.bytes() + books_.bytes();
  }

 private:
  friend class Relays;

  // ---- capture and classify ----

  // False: there was nothing.
  bool capture() noexcept {
    std::array<Frame, kBurst> burst;
    const std::uint64_t before = books_.totals.frames_captured;
    for (std::uint32_t i = 0; i < ports_.size(); ++i) {
      if (ports_[i] == nullptr) {
        continue;
      }
      const std::size_t count = ports_[i]->capture(burst);
      books_.totals.frames_captured += count;
      if (tap_.hears()) {
        tap_.listen({burst.data(), count}, PortId{i});
      }
      for (std::size_t at = 0; at < count; ++at) {
        books_.totals.bytes_captured += burst[at].length;
      }
      for (std::size_t at = 0; at < count;) {
        const std::span<const Frame> left(burst.data() + at, count - at);
        const std::size_t train = take_train(left, PortId{i});
        if (train == 0) {
          prefetch(left);
          classify(left.front(), PortId{i});
        }
        at += std::max<std::size_t>(train, 1);
      }
    }
    return books_.totals.frames_captured != before;
  }

  // The headers of frames that come soon.
  static void prefetch(std::span<const Frame> frames) noexcept {
    if (kPrefetchAhead < frames.size()) {
      __builtin_prefetch(frames[kPrefetchAhead].data);
    }
  }

  // Frames at the front that do what classify() and send_direct() would, but all on one link, without draw and
  // damage: what they share is looked up once. Returns how many there are; they are dealt with.
  std::size_t take_train(std::span<const Frame> frames, PortId ingress) noexcept {
    const FlowCache& flows = parts_.flows[ingress.value()];
    const auto is_next = [&](const Frame& frame) {
      const std::span<const std::byte> head(frame.data, frame.head_length);
      return head.size() >= kEthernetHeader && frame.length <= frame_limit_ && flows.find(head) != nullptr &&
             (parts_.ptp[ingress.value()] == PtpPassage::kThroughAir || !may_be_ptp(head));
    };
    if (parking_.on() || !is_next(frames.front())) {
      return 0;
    }
    const FlowCache::Flow& flow = flows.remembered();
    if (parts_.first_step[flow.from.value()] != FirstStep::kDirect) {
      return 0;
    }
    const LinkId link = link_between(flow.from, flow.to);
    LinkNow& now = parts_.fates.now(link);
    const PhyMode& mode = parts_.fates.mode(now, false);
    std::size_t train = 0;
    while (train < frames.size() && is_next(frames[train]) &&
           arrives_clean(now, mode, frames[train].length, kEthernetHeader, false)) {
      prefetch(frames.subspan(train));
      put_into_hold(HeldFrame::of(frames[train], frames[train].arrived + now.delay), link);
      ++train;
    }
    books_.totals.deliveries += train;
    books_.link(link).deliveries.add(train);
    return train;
  }

  // Who sent it, who could hear it.
  void classify(const Frame& frame, PortId ingress) noexcept {
    const std::span<const std::byte> head(frame.data, frame.head_length);
    FlowCache& flows = parts_.flows[ingress.value()];
    const bool ptp =
        parts_.ptp[ingress.value()] != PtpPassage::kThroughAir && may_be_ptp(head) && find_ptp(head).has_value();
    if (!ptp && head.size() >= kEthernetHeader && frame.length <= frame_limit_) {
      if (const FlowCache::Flow* flow = flows.find(head)) {
        return send({frame, flow->from, kEthernetHeader, false}, {&flow->to, 1});
      }
    }
    const auto ethernet = parse_ethernet(head);
    if (!ethernet) {
      return books_.refuse(frame, DropReason::kRunt);
    }
    if (frame.length > frame_limit_) {
      return books_.refuse(frame, DropReason::kOversize);
    }
    const auto sender = parts_.directory.sender(ingress, *ethernet);
    if (const DropReason* reason = std::get_if<DropReason>(&sender)) {
      return books_.refuse(frame, *reason);
    }
    const Sending sending{frame, std::get<RobotId>(sender), ethernet->payload, ethernet->destination.is_group()};
    const auto receivers = parts_.directory.receivers(sending.from, head, *ethernet);
    if (receivers.empty()) {
      return books_.refuse(frame, DropReason::kNoReceiver);
    }
    if (ethernet->payload == kEthernetHeader && parts_.directory.knows(ethernet->destination)) {
      flows.remember(head, {sending.from, receivers.front()});
    }
    ptp ? pass_ptp(sending, ingress, receivers) : send(sending, receivers);
  }

  // ---- beside the air ----

  void pass_ptp(const Sending& sending, PortId ingress, std::span<const RobotId> receivers) noexcept {
    if (parts_.ptp[ingress.value()] == PtpPassage::kKeep) {
      return books_.refuse(sending.frame, DropReason::kPtpKept);
    }
    count_deliveries(sending.from, receivers);
    books_.share(sending.frame, receivers.size());
    for (const RobotId to : receivers) {
      const LinkId link = link_between(sending.from, to);
      HeldFrame held = HeldFrame::of(sending.frame, sending.frame.arrived);
      held.ptp = held.loose = true;
      if (parts_.ptp[port_to(link).value()] == PtpPassage::kKeep) {
        books_.drop(held, link, DropReason::kPtpKept);
      } else {
        put_into_hold(held, link);
      }
    }
  }

  // Frames of our own: the air is not asked.
  void inject() noexcept {
    for (std::size_t i = 0; i < kInjectionsATurn; ++i) {
      const Injection* wanted = tap_.next();
      if (wanted == nullptr) {
        return;
      }
      books_.inject(wanted->frame(), ports_[wanted->port.value()]);
      tap_.done();
    }
  }

  void tell_too_big(const Sending& sending, std::uint32_t mtu, RobotId receiver) noexcept {
    const auto answer = too_big_.answer({sending.frame.data, sending.frame.head_length}, mtu, sending.from.value(),
                                        sending.frame.arrived, parts_.speakers[receiver.value()]);
    if (!answer.empty()) {
      books_.inject(answer, ports_[parts_.directory.port_of(sending.from).value()]);
    }
  }

  // ---- decide ----

  [[nodiscard]] LinkId link_between(RobotId from, RobotId to) const noexcept {
    return link_of(from, to, parts_.directory.robots());
  }

  void count_deliveries(RobotId from, std::span<const RobotId> receivers) noexcept {
    books_.totals.deliveries += receivers.size();
    for (const RobotId to : receivers) {
      books_.link(link_between(from, to)).deliveries.add();
    }
  }

  void send(const Sending& sending, std::span<const RobotId> receivers) noexcept {
    count_deliveries(sending.from, receivers);
    if (parking_.on()) {
      return park(sending, receivers);
    }
    if (const std::uint32_t mtu = parts_.told_mtu[sending.from.value()];
        mtu > 0 && sending.frame.length - sending.payload > mtu) {
      tell_too_big(sending, mtu, receivers.front());
    }
    books_.share(sending.frame, receivers.size());
    switch (parts_.first_step[sending.from.value()]) {
      case FirstStep::kMedium:
        return send_on_medium(sending, receivers);
      case FirstStep::kAccessPoint:
        return relays_.send(*this, sending, receivers);
      case FirstStep::kDirect:
        break;
    }
    for (const RobotId to : receivers) {
      send_along(sending, link_between(sending.from, to));
    }
  }

  void send_along(const Sending& sending, LinkId link) noexcept {
    LinkNow& now = parts_.fates.now(link);
    HeldFrame held = HeldFrame::of(sending.frame, sending.frame.arrived + now.delay);
    if (parts_.fates.clean(sending, now)) {
      return put_into_hold(held, link);
    }
    const Fate fate = decide(sending, {link, link}, now, held);
    held.due = HostTime{fate.delay};
    send_on(held, link, sending.frame.arrived, fate);
  }

  // One transmission, heard by all receivers, each in its own way. Lost ones take air time all the same.
  void send_on_medium(const Sending& sending, std::span<const RobotId> receivers) noexcept {
    const bool room = parts_.medium.has_room(sending.from, sending.group ? AirJob::kGroup : receivers.front().value());
    AirJob job{.arrived = sending.frame.arrived, .length = sending.frame.length};
    for (const RobotId to : receivers) {
      const LinkId link = link_between(sending.from, to);
      const HeldFrame held = HeldFrame::of(sending.frame, HostTime{});
      if (room) {
        join_transmission(sending, held, {link, link}, job);
      } else {
        books_.drop(held, link, DropReason::kQueueFull);
      }
    }
    if (room && job.air_time.count() > 0) {
      parts_.medium.enqueue(sending.from, job);
    }
  }

  // One receiver of a transmission.
  void join_transmission(const Sending& sending, HeldFrame held, const Passage& passage, AirJob& job) noexcept {
    LinkNow& now = parts_.fates.now(passage.air);
    const Fate fate = decide(sending, passage, now, held);
    const LinkRules& rules = parts_.fates.rules(passage.air);
    const PhyMode& mode = parts_.fates.mode(now, sending.group);
    if (fate.lost == DropReason::kTooLong) {
      return books_.drop(held, passage.link, *fate.lost);  // not sent at all
    }
    shape(job, mode, fate, tries_of(rules, sending.group), sending.group);
    job.mode = now.mode(sending.group);
    job.to =
        sending.group ? AirJob::kGroup : static_cast<std::uint32_t>(passage.air.value() % parts_.directory.robots());
    if (fate.lost) {
      return books_.drop(held, passage.link, *fate.lost);
    }
    // The medium times the repeats: what is left of the delay is not the sender's.
    held.due = HostTime{fate.delay - rules.retry_delay * fate.failing_tries};
    if (fate.copy) {
      if (const auto copy = copy_of(held, passage.link, *fate.copy)) {
        put_on_air(sending, *copy, passage, job);
      }
    }
    put_on_air(sending, held, passage, job);
  }

  Fate decide(const Sending& sending, const Passage& passage, LinkNow& now, HeldFrame& held) noexcept {
    Fate fate = parts_.fates.draw(sending, passage.air, now);
    if (const auto lost = account(fate, sending, passage, now, held)) {
      fate.lost = lost;
    }
    return fate;
  }

  // What a fate is to one delivery; a reason when there is no memory for it.
  std::optional<DropReason> account(const Fate& fate, const Sending& sending, const Passage& passage, LinkNow& now,
                                    HeldFrame& held) noexcept {
    const LinkId link = passage.link;
    books_.link(link).failed_tries.add(fate.failing_tries);
    if (fate.marked) {
      ++books_.totals.marked;
      books_.link(link).marked.add();
    }
    held.loose = fate.loose;
    if (fate.errors > 0 && !books_.note_damage(parts_.fates.note(sending, passage.air, now, fate), link, held)) {
      return DropReason::kNoBuffer;
    }
    return fate.lost;
  }

  // A second delivery of the same frame, with the same damage, `after` the first; nothing when there is no memory for
  // it.
  std::optional<HeldFrame> copy_of(const HeldFrame& held, LinkId link, Nanoseconds after) noexcept {
    HeldFrame copy = held;
    copy.due += after;
    books_.pool().share(held.frame(), 1);
    books_.add_copy(link);
    ++books_.totals.duplicated;
    books_.link(link).duplicated.add();
    if (held.damage != kNoNode) {
      copy.damage = kNoNode;
      const DamageNote note = books_.note(held);
      if (!books_.note_damage(note, link, copy)) {
        books_.drop(copy, link, DropReason::kNoBuffer);
        return std::nullopt;
      }
    }
    return copy;
  }

  // ---- verdicts of a network simulator ----

  void park(const Sending& sending, std::span<const RobotId> receivers) noexcept {
    const auto refused = parking_.park(
        {.frame = sending.frame, .from = sending.from, .payload = sending.payload, .group = sending.group}, receivers);
    if (refused) {
      for (const RobotId to : receivers) {
        books_.count_drop(link_between(sending.from, to), *refused);
      }
      books_.pool().free(sending.frame);
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
    const LinkId link = link_between(place.from, order.to);
    if (order.what == ParkedOrder::What::kDeliver) {
      if (claim == Parking::Claim::kAgain) {
        ++books_.totals.copies;
        books_.add_copy(link);
      }
      deliver(order, place, link, now);
    } else if (claim == Parking::Claim::kFirst) {
      books_.count_drop(link, order.reason);
    }
  }

  // The rate of the verdict takes the place of a link's state; what configuration adds to the link stays.
  void deliver(const ParkedOrder& order, const Parking::Place& place, LinkId link, HostTime now) noexcept {
    const auto frame = frame_of(order, place, link);
    if (!frame) {
      return;
    }
    LinkNow& state = parts_.fates.judged(link, BitHazard{reference_errors_ ? 0 : -std::log1p(-order.ber)});
    const HostTime asked = order.due == VerdictRings::kNow ? now : order.due + state.delay;
    if (asked < now) {
      books_.totals.asked_late.add(now - asked);
    }
    HeldFrame held = HeldFrame::of(*frame, HostTime{});
    const Fate fate = decide({*frame, place.from, place.payload, place.group}, {link, link}, state, held);
    held.due = HostTime{fate.delay - state.delay};
    send_on(held, link, std::max(asked, now), fate);
  }

  // The delivery's frame: the parked one, or a copy of its own for what the reference does to it.
  std::optional<Frame> frame_of(const ParkedOrder& order, const Parking::Place& place, LinkId link) noexcept {
    if (!reference_errors_) {
      books_.pool().share(place.frame, 1);
      return place.frame;
    }
    auto frame = place.frame.head_length == place.frame.length ? books_.pool().copy(place.frame) : std::nullopt;
    if (!frame) {
      books_.count_drop(link, DropReason::kNoBuffer);
      return frame;
    }
    const std::uint32_t ip = place.group ? parts_.ipv4[order.to.value()] : 0;
    if (!spoil_as_reference({frame->data, frame->length}, place.payload, ip, order.ber, parts_.fates.random(link))) {
      parts_.fates.skip(link);
      books_.count_drop(link, DropReason::kHeaderHit);
      books_.pool().free(*frame);
      frame.reset();
    }
    return frame;
  }

  void forget(Parking::Place& place, DropReason reason) noexcept {
    parking_.clear(place, [&](RobotId to) { books_.count_drop(link_between(place.from, to), reason); });
    books_.pool().free(place.frame);
  }

  // ---- medium, queue, hold ----

  // Deliveries in the hold or on their way to it; parked ones have a limit of their own.
  [[nodiscard]] std::size_t waiting() const noexcept { return hold_.size() + on_air_.used() + parts_.rates.size(); }

  void put_on_air(const Sending& sending, const HeldFrame& held, const Passage& passage, AirJob& job) noexcept {
    const NodeIndex node = waiting() < hold_frames_ ? on_air_.take() : kNoNode;
    if (node == kNoNode) {
      return books_.drop(held, passage.link, DropReason::kHoldFull);
    }
    on_air_[node] = {
        held,        passage.link, job.deliveries, passage.air, static_cast<std::uint16_t>(sending.payload),
        passage.hop, sending.group};
    job.deliveries = node;
  }

  // Frames go from the air to the air again over access points: then all events are taken in the order of time.
  void advance_air(HostTime now) noexcept {
    const auto done = [this](const AirResult& result) { leave_air(result); };
    if (!parts_.infrastructure.on() && relays_.next_due() == HostTime::max()) {
      return parts_.medium.advance(now, done);
    }
    for (;;) {
      const HostTime crossed = relays_.next_due();
      if (!parts_.medium.advance_once(std::min(now, crossed), done)) {
        if (crossed > now) {
          return;
        }
        relays_.serve(*this);
      }
    }
  }

  void leave_air(const AirResult& result) noexcept {
    if (result.lost) {
      return drop_list(result.deliveries, *result.lost);
    }
    if (result.deliveries != kNoNode && on_air_[result.deliveries].hop == Hop::kUp) {
      return relays_.enter(*this, result.deliveries, result.on_air_until);
    }
    for (NodeIndex node = result.deliveries; node != kNoNode;) {
      const AirDelivery delivery = on_air_[node];
      on_air_.give_back(node);
      node = delivery.next;
      if (!result.met.empty() && !heard_through(result, delivery.air)) {
        books_.drop(delivery.held, delivery.link, DropReason::kCollision);
      } else if (delivery.hop == Hop::kDown) {
        relays_.leave(*this, delivery, result.on_air_until);
      } else {
        pass_on(delivery.held, delivery.link, result.on_air_until, std::nullopt);
      }
    }
  }

  [[nodiscard]] bool heard_through(const AirResult& result, LinkId link) const noexcept {
    const auto robots = static_cast<std::uint32_t>(parts_.directory.robots());
    return parts_.medium.received(result, link.value() / robots, link.value() % robots);
  }

  void drop_list(NodeIndex list, DropReason reason) noexcept {
    while (list != kNoNode) {
      const AirDelivery delivery = on_air_[list];
      on_air_.give_back(list);
      list = delivery.next;
      books_.drop(delivery.held, delivery.link, reason);
    }
  }

  // A delivery and, if fate says so, its copy. `held.due` counts from `ready`.
  void send_on(const HeldFrame& held, LinkId link, HostTime ready, const Fate& fate) noexcept {
    if (fate.copy && !fate.lost) {
      if (const auto copy = copy_of(held, link, *fate.copy)) {
        pass_on(*copy, link, ready, std::nullopt);
      }
    }
    pass_on(held, link, ready, fate.lost);
  }

  // Behind the medium: the queue of the link's rate, then the hold. `held.due` counts from `ready` on, or from the end
  // of the transmission. What an outage or distance takes does not get as far as the queue.
  void pass_on(HeldFrame held, LinkId link, HostTime ready, std::optional<DropReason> lost) noexcept {
    const bool sent = !lost || (*lost != DropReason::kOutage && *lost != DropReason::kUnreachable);
    if (sent && parts_.rates.limits(link)) {
      if (waiting() >= hold_frames_) {
        return books_.drop(held, link, DropReason::kHoldFull);
      }
      return parts_.rates.push(link, {held, ready, lost}, [this, link](const QueuedDelivery& refused) {
        books_.drop(refused.held, link, DropReason::kQueueFull);
      });
    }
    if (lost) {
      return books_.drop(held, link, *lost);
    }
    held.due = ready + held.due.time_since_epoch();
    put_into_hold(held, link);
  }

  void leave_queue(LinkId link, const QueuedDelivery& sent, HostTime end) noexcept {
    if (sent.lost) {
      return books_.drop(sent.held, link, *sent.lost);
    }
    HeldFrame held = sent.held;
    held.due = end + held.due.time_since_epoch();
    put_into_hold(held, link);
  }

  // What waited in a queue of the old parts: in the new one of its link, also beyond its limit; sent now without one.
  void requeue(LinkId link, const QueuedDelivery& waiting, const PathParts& old, HostTime now) noexcept {
    if (!parts_.rates.limits(link)) {
      return leave_queue(link, waiting, now);
    }
    parts_.rates.take_over(link, waiting, old.rates.free_at(link));
  }

  void put_into_hold(const HeldFrame& held, LinkId link) noexcept {
    if (!crossings_.to_port.empty()) {
      if (CrossingRing* ring = crossings_.to_port[port_to(link).value()]) {
        return cross(held, link, *ring);
      }
    }
    const bool room = waiting() < hold_frames_;
    if (!room || !(held.loose ? hold_.push_loose(link, held) : hold_.push(link, held))) {
      return books_.drop(held, link, DropReason::kHoldFull);
    }
    hold_.look_ahead(link, [this](const HeldFrame& soon) { books_.pool().fetch(soon.frame()); });
  }

  // ---- crossing to other cores ----

  void cross(const HeldFrame& held, LinkId link, CrossingRing& ring) noexcept {
    Crossing crossing{.held = held, .link = link, .damaged = held.damage != kNoNode, .note = {}};
    if (crossing.damaged) {
      crossing.note = books_.note(held);
      crossing.held.damage = kNoNode;
    }
    if (!ring.push(crossing)) {
      return books_.drop(held, link, DropReason::kCrossingFull);
    }
    if (crossing.damaged) {
      HeldFrame gone = held;
      books_.take_note(gone);
    }
    ++books_.totals.crossed_out;
  }

  void receive_crossings() noexcept {
    each_crossing(kCrossingsATurn, [this](const Crossing& crossing) {
      HeldFrame held = crossing.held;
      if (crossing.damaged && !books_.note_damage(crossing.note, crossing.link, held)) {
        return books_.drop(held, crossing.link, DropReason::kNoBuffer);
      }
      put_into_hold(held, crossing.link);
    });
  }

  template <class Each>
  void each_crossing(std::size_t most, Each each) noexcept {
    Crossing crossing;
    for (CrossingRing* ring : crossings_.from) {
      for (std::size_t i = 0; i < most && ring->pop(crossing); ++i) {
        ++books_.totals.crossed_in;
        each(crossing);
      }
    }
  }

  // ---- release ----

  [[nodiscard]] PortId port_to(LinkId link) const noexcept {
    const Directory& directory = parts_.directory;
    return directory.port_of(RobotId{static_cast<std::uint32_t>(link.value() % directory.robots())});
  }

  void flush() noexcept {
    for (Port* port : ports_) {
      if (port != nullptr) {
        port->flush();
      }
    }
  }

  // What falls due within a turn's length would be late by half of it. An idle path makes it ready instead, waits, and
  // lets it go at its instant.
  template <HostClock Clock>
  void release_imminent(HostTime now, Clock& clock) noexcept {
    const Nanoseconds patience = clock.patience();
    if (hold_.empty() || patience == Nanoseconds{0} || hold_.next_due() - now > patience) {
      return;
    }
    const HostTime due = hold_.next_due();
    Port* port = nullptr;
    std::size_t ready = 0;
    hold_.pop_run(due, [&](LinkId link, std::span<HeldFrame> run) {
      port = ports_[port_to(link).value()];
      ready = run.size();
      release(link, run, clock);
    });
    HostTime at = clock.now();
    while (at < due) {
      at = clock.now();
    }
    port->flush();
    for (; ready > 0; --ready) {
      books_.totals.release_error.add(at - due);
    }
  }

  // What is more than that leaves in the next turns: arrivals must not wait long behind a crowd.
  template <HostClock Clock>
  void release_due(HostTime now, Clock& clock) noexcept {
    std::size_t released = 0;
    const auto each = [&](LinkId link, std::span<HeldFrame> run) {
      for (const HeldFrame& held : run) {
        books_.totals.release_error.add(now - held.due);
      }
      release(link, run, clock);
      released += run.size();
    };
    while (released < kReleasesATurn && hold_.pop_run(now, each)) {
    }
  }

  template <HostClock Clock>
  void release(LinkId link, std::span<HeldFrame> run, Clock& clock) noexcept {
    Port& port = *ports_[port_to(link).value()];
    std::uint64_t frames = 0;
    std::uint64_t bytes = 0;
    for (HeldFrame& held : run) {
      if (held.damage != kNoNode && !books_.carry_out(held, link)) {
        books_.drop(held, link, DropReason::kNoBuffer);
      } else if (held.ptp && !books_.add_residence(held, clock.now())) {
        books_.drop(held, link, DropReason::kNoBuffer);
      } else if (!port.release(held.frame())) {
        books_.drop(held, link, DropReason::kTxFull);
      } else {
        ++frames;
        bytes += held.length;
      }
    }
    books_.totals.released += frames;
    books_.totals.bytes_released += bytes;
    books_.link(link).released.add(frames);
    books_.link(link).bytes_released.add(bytes);
  }

  void note_held() noexcept {
    books_.totals.held = waiting() + parking_.waiting();
    books_.totals.held_most = std::max(books_.totals.held_most, books_.totals.held);
  }

  void note_turn(HostTime now) noexcept {
    PathTotals& totals = books_.totals;
    note_held();
    const auto length = static_cast<std::uint64_t>((now - last_turn_).count());
    if (totals.turns++ > 0) {
      totals.longest_turn_ns = std::max(totals.longest_turn_ns, length);
    }
    last_turn_ = now;
  }

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
  HostTime last_turn_{};
};

}  // namespace hilgate
