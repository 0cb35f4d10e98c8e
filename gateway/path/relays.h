// SPDX-License-Identifier: Apache-2.0
// Infrastructure mode: frames on their way over access points. A station sends everything to its access point, groups
// too (IEEE 802.11-2020, 9.3.2.1: To DS); over the distribution system, a cable with a delay, it comes to the access
// points of its receivers, which send it to their stations, a group once and without acknowledgement. Each of these
// transmissions waits its turn on the air, and has a fate of its own, drawn when the frame gets to who sends it. What
// configuration does to the link between the two robots comes behind the last one.
//
// A station that roams keeps its frames, whose fates are drawn anew for the next access point; without one in reach
// they are dropped as not_associated. So is what comes for a station that is nowhere, and what waits at an access point
// that it has left: access points do not hand over what they hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "gateway/fate/link_fates.h"
#include "gateway/medium/air_job.h"
#include "gateway/medium/medium.h"
#include "gateway/path/cable.h"
#include "gateway/path/infrastructure.h"

namespace hilgate {

/// Frames on the cable between access points, and the rules by which frames change between cable and air. `Path` is the
/// frame path that all this is part of. Does not allocate after construction.
class Relays {
 public:
  /// Room for `deliveries` that wait on the cable.
  explicit Relays(std::size_t deliveries) : cable_(deliveries) {}

  /// A frame has been captured from a station, or from a robot on the cable.
  template <class Path>
  void send(Path& path, const Sending& sending, std::span<const RobotId> receivers) noexcept {
    const Infrastructure& net = path.parts_.infrastructure;
    const bool station = net.role(sending.from) == AirRole::kStation;
    const Attachment at = net.of(sending.from);
    std::optional<DropReason> refused;
    if (station && at.state == Attachment::State::kNone) {
      refused = DropReason::kNotAssociated;
    } else if (station && !path.parts_.medium.has_room(sending.from)) {
      refused = DropReason::kQueueFull;
    }
    AirJob job{.arrived = sending.frame.arrived, .length = sending.frame.length};
    for (const RobotId to : receivers) {
      const LinkId link = path.link_between(sending.from, to);
      const HeldFrame held = HeldFrame::of(sending.frame, HostTime{});
      if (refused) {
        path.books_.drop(held, link, *refused);
      } else {
        path.put_on_air(sending, held, {link, link, station ? Hop::kUp : Hop::kDown}, job);
      }
    }
    if (job.deliveries == kNoNode) {
      return;
    }
    if (!station) {
      return cross(path, job.deliveries, at.at, sending.frame.arrived);
    }
    if (at.state != Attachment::State::kAttached || aim(path, job, sending.from, RobotId{at.at})) {
      path.parts_.medium.enqueue(sending.from, job);
    }
  }

  /// A station's transmission has been received by its access point.
  template <class Path>
  void enter(Path& path, NodeIndex list, HostTime on_air_until) noexcept {
    const AirDelivery& first = path.on_air_[list];
    const auto at = static_cast<std::uint32_t>(first.air.value() % path.parts_.directory.robots());
    cross(path, list, at, on_air_until + first.held.due.time_since_epoch());
  }

  /// An access point's transmission has been received by a station.
  template <class Path>
  void leave(Path& path, const AirDelivery& delivery, HostTime on_air_until) noexcept {
    const auto places = static_cast<std::uint32_t>(path.parts_.directory.robots());
    const RobotId to{delivery.air.value() % places};
    const Infrastructure& net = path.parts_.infrastructure;
    if (net.role(to) != AirRole::kStation || !net.of(to).is_at(delivery.air.value() / places)) {
      return path.books_.drop(delivery.held, delivery.link, DropReason::kNotAssociated);
    }
    arrive(path, delivery, on_air_until + delivery.held.due.time_since_epoch());
  }

  [[nodiscard]] HostTime next_due() const { return cable_.next_due(); }

  /// What is due first leaves the cable.
  template <class Path>
  void serve(Path& path) noexcept {
    const Cable::Load crossed = cable_.pop();
    for (NodeIndex list = crossed.list; list != kNoNode;) {
      list = distribute(path, list, crossed.due);
    }
  }

  /// Stations are where the newest table says.
  template <class Path>
  void take_attachments(Path& path, HostTime now) noexcept {
    path.parts_.infrastructure.take(path.parts_.fates.table(),
                                    [&](RobotId station, const Attachment& before, const Attachment& after) {
                                      move(path, station, before, after, now);
                                    });
  }

  /// Hands out what is on the cable, for shutdown.
  template <class Each>
  void drain(Each each) {
    cable_.drain(each);
  }

  [[nodiscard]] std::size_t bytes() const { return cable_.bytes(); }

 private:
  // ---- up ----

  // The transmission from a station to its access point, for all deliveries of the job alike. False: nothing is sent.
  template <class Path>
  bool aim(Path& path, AirJob& job, RobotId from, RobotId access_point) noexcept {
    if (job.to == access_point.value() && !job.done) {
      return true;  // is on its way there already
    }
    if (job.deliveries == kNoNode) {
      return false;  // was lost on another way
    }
    job.done = job.received = job.handed_over = false;
    job.lost.reset();
    const AirDelivery& first = path.on_air_[job.deliveries];
    Frame frame = first.held.frame();
    frame.arrived = job.arrived;
    const Sending sending{frame, from, first.payload, false};
    LinkFates& fates = path.parts_.fates;
    const LinkId air = path.link_between(from, access_point);
    LinkNow& now = fates.now(air);
    const Fate fate = fates.draw(sending, air, now);
    if (fate.lost == DropReason::kTooLong) {
      path.drop_list(job.deliveries, *fate.lost);
      return false;
    }
    const LinkRules& rules = fates.rules(air);
    shape(job, fates.mode(now, false), fate, tries_of(rules, false), false);
    job.mode = now.mode(false);
    job.to = access_point.value();
    for (NodeIndex node = std::exchange(job.deliveries, kNoNode); node != kNoNode;) {
      AirDelivery& delivery = path.on_air_[node];
      const NodeIndex next = delivery.next;
      if (delivery.held.damage != kNoNode) {
        path.books_.take_note(delivery.held);  // of a try elsewhere that never was
      }
      const auto lost = path.account(fate, sending, {delivery.link, air, Hop::kUp}, now, delivery.held);
      if (lost) {
        path.books_.drop(delivery.held, delivery.link, *lost);
        path.on_air_.give_back(node);
      } else {
        delivery.held.due = HostTime{fate.delay - rules.retry_delay * fate.failing_tries};
        delivery.air = air;
        delivery.hop = Hop::kUp;
        delivery.next = std::exchange(job.deliveries, node);
      }
      node = next;
    }
    return true;
  }

  // ---- across ----

  // Receivers at the same access point are there at once; for all others the frame takes the cable.
  template <class Path>
  void cross(Path& path, NodeIndex list, std::uint32_t at, HostTime ready) noexcept {
    const Infrastructure& net = path.parts_.infrastructure;
    NodeIndex here = kNoNode;
    NodeIndex elsewhere = kNoNode;
    while (list != kNoNode) {
      const NodeIndex node = list;
      AirDelivery& delivery = path.on_air_[node];
      list = delivery.next;
      if (!settle(path, delivery)) {
        path.on_air_.give_back(node);
        continue;
      }
      const RobotId to = receiver(path, delivery);
      const bool is_part = net.role(to) == AirRole::kStation || net.role(to) == AirRole::kWired;
      const bool local = at != Attachment::kCable && is_part && net.of(to).is_at(at);
      delivery.next = std::exchange(local ? here : elsewhere, node);
    }
    cable_.push(here, ready);
    cable_.push(elsewhere, ready + net.delay());
  }

  // Damage of the last transmission is done before the next, which may add its own. False: no memory, and dropped.
  template <class Path>
  static bool settle(Path& path, AirDelivery& delivery) noexcept {
    if (delivery.held.damage == kNoNode || path.books_.carry_out(delivery.held, delivery.link)) {
      return true;
    }
    path.books_.drop(delivery.held, delivery.link, DropReason::kNoBuffer);
    return false;
  }

  template <class Path>
  static RobotId receiver(const Path& path, const AirDelivery& delivery) noexcept {
    return RobotId{static_cast<std::uint32_t>(delivery.link.value() % path.parts_.directory.robots())};
  }

  // ---- down ----

  // The first of these deliveries, and all that go with it; returns the rest.
  template <class Path>
  NodeIndex distribute(Path& path, NodeIndex list, HostTime now) noexcept {
    const AirDelivery first = path.on_air_[list];
    const Infrastructure& net = path.parts_.infrastructure;
    const RobotId to = receiver(path, first);
    const AirRole role = net.role(to);
    if (role == AirRole::kStation && net.of(to).state == Attachment::State::kAttached) {
      return transmit(path, list, RobotId{net.of(to).at}, now);
    }
    path.on_air_.give_back(list);
    if (role == AirRole::kWired) {
      arrive(path, first, now);
    } else {
      path.books_.drop(first.held, first.link,
                       role == AirRole::kStation ? DropReason::kNotAssociated : DropReason::kUnreachable);
    }
    return first.next;
  }

  // An access point sends to those of the receivers that are its stations; returns the others.
  template <class Path>
  NodeIndex transmit(Path& path, NodeIndex list, RobotId access_point, HostTime now) noexcept {
    const Infrastructure& net = path.parts_.infrastructure;
    const bool room = path.parts_.medium.has_room(access_point);
    AirJob job{.arrived = now, .length = path.on_air_[list].held.length};
    NodeIndex others = kNoNode;
    while (list != kNoNode) {
      const NodeIndex node = list;
      AirDelivery& waiting = path.on_air_[node];
      list = waiting.next;
      const RobotId to = receiver(path, waiting);
      if (net.role(to) != AirRole::kStation || !net.of(to).is_at(access_point.value())) {
        waiting.next = std::exchange(others, node);
        continue;
      }
      const AirDelivery delivery = waiting;
      path.on_air_.give_back(node);
      if (!room) {
        path.books_.drop(delivery.held, delivery.link, DropReason::kQueueFull);
        continue;
      }
      Frame frame = delivery.held.frame();
      frame.arrived = now;
      path.join_transmission({frame, access_point, delivery.payload, delivery.group}, delivery.held,
                             {delivery.link, path.link_between(access_point, to), Hop::kDown}, job);
    }
    if (job.air_time.count() > 0) {
      path.parts_.medium.enqueue(access_point, job);
    }
    return others;
  }

  // Behind the last transmission.
  template <class Path>
  static void arrive(Path& path, AirDelivery delivery, HostTime at) noexcept {
    if (!settle(path, delivery)) {
      return;
    }
    Frame frame = delivery.held.frame();
    frame.arrived = at;
    const auto places = static_cast<std::uint32_t>(path.parts_.directory.robots());
    path.send_along({frame, RobotId{delivery.link.value() / places}, delivery.payload, delivery.group}, delivery.link);
  }

  // ---- stations that move ----

  template <class Path>
  void move(Path& path, RobotId station, const Attachment& before, const Attachment& after, HostTime now) noexcept {
    using State = Attachment::State;
    Medium& medium = path.parts_.medium;
    const auto lose = [&path](NodeIndex list) { path.drop_list(list, DropReason::kNotAssociated); };
    medium.leave(station, now);
    if (before.state == State::kAttached) {
      medium.clear_to(RobotId{before.at}, station, lose);
    }
    if (after.state == State::kAttached) {
      medium.join(station, RobotId{after.at}, now,
                  [&](AirJob& job) { return aim(path, job, station, RobotId{after.at}); });
    } else if (after.state == State::kNone) {
      medium.clear(station, lose);
    }
  }

  Cable cable_;
};

}  // namespace hilgate
