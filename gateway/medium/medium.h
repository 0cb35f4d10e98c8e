// SPDX-License-Identifier: Apache-2.0
// Shared half-duplex media: when a frame goes on the air, and what of it survives the others.
//
// kContention: CSMA/CA after the distributed coordination function of IEEE 802.11-2020, 10.3: DIFS, slotted backoff
// that freezes while the medium is busy, contention window doubled after a failed try, acknowledgement, collisions when
// two stations' backoffs end in the same slot; every station hears every other. kOverlap (medium_overlap.cc): each
// station goes by what it hears itself, so hidden stations overlap, and the receiver decides by SINR; without ears,
// ALOHA. kTurns (medium_turns.cc): no collisions. kGranted (medium_granted.cc): as a base station says. Frames to one
// receiver may share a transmission (medium_exchange.cc); acknowledgements may be lost, and RTS and CTS go ahead of
// long frames (medium_handshake.cc). Stations of access points come and go (medium_roaming.cc).
//
// Whether a frame gets through when nobody disturbs it was decided at capture. It does nothing for robots without a
// station.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "clock/time.h"
#include "frame/counter.h"
#include "frame/counters.h"
#include "frame/drop_reason.h"
#include "frame/slab.h"
#include "gateway/fate/air_signals.h"
#include "gateway/medium/air_transmission.h"
#include "netsim_link/air_plan.h"

namespace hilgate {

/// All domains of the gateway. Used by one thread. Does not allocate after construction.
class Medium {
 public:
  /// Has room for the jobs that the stations' queues take, at least for `least`.
  Medium(const AirPlan& plan, std::uint64_t seed, std::size_t least = 0);

  /// Goes on where `old` is: every job waits at the station it waited at, also beyond its queue's limit, and stations
  /// keep their backoff. Jobs of those that have no station any more go to done(const AirResult&) as sent at `now`.
  /// What overlaps at that moment begins again. Requires room for the jobs of `old`, and leaves it without.
  template <class Done>
  void take_over(Medium& old, HostTime now, Done done) {
    for (Contender& before : old.contenders_) {
      const std::uint32_t place = contender_for(before.robot, before.flow);
      if (place != kNone) {
        continue_from(old, before, contenders_[place]);
      }
      while (before.head != kNoNode) {
        const AirJob job = old.jobs_[before.head];
        old.remove_head(before);
        if (place == kNone) {
          done(AirResult{.deliveries = job.deliveries, .on_air_until = now, .lost = job.lost});
        } else {
          append(contenders_[contender_for(before.robot, job.to)], job);
        }
      }
    }
  }
  /// Jobs there is room for.
  [[nodiscard]] std::size_t capacity() const { return jobs_.capacity(); }

  /// Who hears whom from now on.
  void set_signals(const AirSignals& signals) { signals_ = signals; }

  /// False when the station's transmit queue is full. Requires a station for `sender`.
  bool enqueue(RobotId sender, const AirJob& job);
  /// For a frame to that place; AirJob::kGroup is everybody.
  [[nodiscard]] bool has_room(RobotId sender, std::uint32_t to = AirJob::kGroup) const;

  /// Grants the media up to `now` and hands each finished job to `done(const AirResult&)`.
  template <class Done>
  void advance(HostTime now, Done done) {
    for (Domain& domain : domains_) {
      while (step(domain, now)) {
        for (const AirResult& result : finished_) {
          done(result);
        }
        finished_.clear();
      }
    }
  }
  /// The first event of all domains up to `limit`, and its finished jobs to done(const AirResult&); false when there is
  /// none. As advance(), one event at a time and in the order of time over domains, for what goes from one to another.
  template <class Done>
  bool advance_once(HostTime limit, Done done) {
    Domain* const domain = first_domain(limit);
    if (domain == nullptr) {
      return false;
    }
    step(*domain, next_event(*domain));
    for (const AirResult& result : finished_) {
      done(result);
    }
    finished_.clear();
    return true;
  }
  [[nodiscard]] HostTime next_event() const;  // of all media, as things stand; HostTime::max(): none
  /// Whether `to` received a group frame of `from`, for all that met it on the air.
  [[nodiscard]] bool received(const AirResult& result, std::uint32_t from, std::uint32_t to) const {
    return survives(from, to, modes_[result.mode].needed_snr_db, result.met);
  }

  // ---- stations of access points: in no domain until they join one; their queues are there all the time ----

  /// The station is silent from `now` on. What it was sending is not received, and waits with the rest.
  void leave(RobotId station, HostTime now);
  /// The station is in the access point's domain from `now` on. `aim(AirJob&)` has each job that waits changed for its
  /// receiver; those for which it says false are removed. What is done waits for others in front of it.
  template <class Aim>
  void join(RobotId station, RobotId access_point, HostTime now, Aim aim) {
    Contender& contender = contenders_[contender_of_[station.value()]];
    enter(contender, contenders_[contender_of_[access_point.value()]].domain, now);
    change_jobs(contender, [&](AirJob& job) {
      job.arrived = std::max(job.arrived, contender.idle_from);
      return aim(job);
    });
    defer_if_busy(domains_[contender.domain], contender);
  }
  /// Removes what waits at a station; each(NodeIndex) gets the deliveries.
  template <class Each>
  void clear(RobotId station, Each each) {
    change_jobs(contenders_[contender_of_[station.value()]], [&](AirJob& job) {
      each(job.deliveries);
      return false;
    });
  }
  /// Removes the unicast frames to `to` that wait at a station; each(NodeIndex) gets the deliveries. One that is on the
  /// air stays there, for nobody.
  template <class Each>
  void clear_to(RobotId station, RobotId to, Each each) {
    Contender& contender = contenders_[contender_of_[station.value()]];
    change_jobs(contender, [&](AirJob& job) {
      if (job.to != to.value()) {
        return true;
      }
      each(job.deliveries);
      job.deliveries = kNoNode;
      return job.on_air || (&job == &jobs_[contender.head] && contender.pieces_sent > 0);
    });
    defer_if_busy(domains_[contender.domain], contender);
  }

  /// Hands out the deliveries of every waiting job, for shutdown.
  template <class Each>
  void drain(Each each) {
    for (Contender& station : contenders_) {
      while (station.head != kNoNode) {
        each(jobs_[station.head].deliveries);
        remove_head(station);
      }
      station.sending = false;
      station.pieces_sent = 0;
    }
  }

  /// Air time used per domain since the start, for utilisation. Where transmissions overlap, of each of them.
  [[nodiscard]] Nanoseconds busy(std::uint32_t domain) const {
    return Nanoseconds{static_cast<std::int64_t>(domains_[domain].busy_ns.get())};
  }
  /// Adds the use of each domain; from any thread, while nobody takes over.
  void add_use(std::vector<AirUse>& uses) const;
  [[nodiscard]] std::uint32_t queued(RobotId sender) const;

 private:
  static constexpr std::uint32_t kNone = 0xFFFF'FFFF;
  using Exchange = AirExchange;
  using Outcome = AirOutcome;
  struct Contender {
    std::uint32_t robot = 0;
    std::uint32_t domain = 0;             // index into domains_
    std::uint32_t flow = AirJob::kGroup;  // of a base station: the receiver that this queue is for
    Station rules{};
    std::uint32_t queued = 0;
    std::uint32_t window = 0;   // contention window, slots
    bool backing_off = false;   // also after a transmission with nothing left to send (10.3.4.3)
    std::uint32_t backoff = 0;  // slots still to count down
    std::uint64_t draws = 0;
    NodeIndex head = kNoNode;
    NodeIndex tail = kNoNode;
    // kOverlap and kTurns: what it knows of the medium itself.
    HostTime idle_from{};
    bool sending = false;
    HostTime on_air_until{};         // sending: end of the frame
    std::vector<std::uint32_t> met;  // sending: contenders that have been on the air with it; reserved
    std::uint32_t pieces_sent = 0;   // of the head, in turns
    Exchange exchange{};             // sending: the one at hand
    bool announcing = false;         // sending: its RTS
    HostTime reserved_until{};       // by exchanges of others whose RTS or CTS it heard (network allocation vector)
    Nanoseconds granted{0};  // kGranted: time on the air it has had, or would have had when it had nothing to send
    Nanoseconds credit{0};   // duty cycle: time on the air left at credit_at
    HostTime credit_at{};
  };
  struct Domain {
    AirDomain rules;
    HostTime idle_from{};  // kOverlap: the last event
    Counter busy_ns{};
    Counter acks_lost{};
    Nanoseconds granted{0};              // kGranted: Contender::granted of the transmission at hand
    std::uint32_t next_turn = 0;         // place in members whose turn it is
    std::vector<std::uint32_t> members;  // indices into contenders_, increasing; reserved
    std::vector<std::uint32_t> winners;  // scratch, reserved

    void add_busy(Nanoseconds length) { busy_ns.add(static_cast<std::uint64_t>(length.count())); }
  };

  // The queue that a frame from `robot` to place `to` waits in.
  [[nodiscard]] std::uint32_t contender_for(std::uint32_t robot, std::uint32_t to) const {
    const std::uint32_t first = robot < contender_of_.size() ? contender_of_[robot] : kNone;
    const bool by_receiver = first != kNone && contenders_[first].rules.base && to < contender_of_.size();
    return by_receiver ? first + 1 + to : first;
  }
  void enter(Contender& station, std::uint32_t domain, HostTime now);
  [[nodiscard]] HostTime access_of(const Domain& domain, std::size_t place) const;
  [[nodiscard]] HostTime next_event(const Domain& domain) const;
  [[nodiscard]] Domain* first_domain(HostTime limit);
  template <class Change>
  void change_jobs(Contender& station, Change change) {
    NodeIndex before = kNoNode;
    for (NodeIndex node = station.head; node != kNoNode;) {
      const NodeIndex next = jobs_[node].next;
      if (change(jobs_[node])) {
        before = node;
      } else {
        remove(station, before);
      }
      node = next;
    }
  }

  bool append(Contender& station, AirJob job);
  void continue_from(const Medium& old, const Contender& before, Contender& station);
  bool step(Domain& domain, HostTime now);

  bool contend(Domain& domain, HostTime now);
  [[nodiscard]] HostTime access_time(const Domain& domain, const Contender& station) const;
  void count_down(Domain& domain, HostTime until);
  void defer_if_busy(const Domain& domain, Contender& station);
  void draw_backoff(Contender& station);
  void transmit_alone(Domain& domain, Contender& station, HostTime at);
  void collide(Domain& domain, HostTime at);
  void occupy(Domain& domain, HostTime from, Nanoseconds length);

  // medium_exchange.cc
  Exchange begin_exchange(Contender& station);
  Exchange join_others(Contender& station, AirJob& head);
  void end_exchange(Contender& station, Domain& domain, HostTime on_air_until, Outcome outcome);
  static void end_try(AirJob& job, Outcome outcome, bool acknowledged);
  void hand_over_received(Contender& station, std::uint32_t to, HostTime on_air_until);
  void hand_over(AirJob& job, HostTime on_air_until);
  void finish(Contender& station, NodeIndex before, HostTime on_air_until);
  void remove_head(Contender& station) { remove(station, kNoNode); }
  void remove(Contender& station, NodeIndex before);

  // medium_handshake.cc
  void announce(const Contender& station, const AirJob& head, std::uint64_t joint_bytes, Exchange& exchange) const;
  [[nodiscard]] bool noise_takes_announcement(Contender& station);
  [[nodiscard]] bool comes_through(Contender& station, AirJob& job);
  [[nodiscard]] bool noise_takes_ack(Contender& station, bool joined);
  bool happens(Contender& station, double probability);
  void end_announcement(Domain& domain, Contender& station);
  void reserve(Domain& domain, const Contender& station, std::uint32_t receiver);
  [[nodiscard]] bool gets_back(Domain& domain, const Contender& station);
  void note_sending(const Domain& domain, const Contender& but, std::vector<std::uint32_t>& robots) const;

  // medium_granted.cc
  bool grant(Domain& domain, HostTime now);
  [[nodiscard]] HostTime granted_access(const Domain& domain, const Contender& station) const;
  // medium_turns.cc
  bool take_turns(Domain& domain, HostTime now);
  bool take_frame_turn(Domain& domain, HostTime now);
  bool take_window_turn(Domain& domain, HostTime now);
  [[nodiscard]] HostTime turn_access(const Domain& domain, std::size_t place) const;
  [[nodiscard]] static Nanoseconds piece_of(const AirJob& job);

  // medium_overlap.cc
  bool overlap(Domain& domain, HostTime now);
  [[nodiscard]] HostTime overlap_access(const Domain& domain, const Contender& station) const;
  void begin_overlapping(Domain& domain, HostTime at);
  void be_heard(Domain& domain, std::uint32_t robot, const Contender& but, HostTime at, HostTime until);
  void end_overlapping(Domain& domain, Contender& station);
  [[nodiscard]] bool hears(const AirDomain& rules, std::uint32_t from, std::uint32_t to) const;
  [[nodiscard]] bool survives(std::uint32_t from, std::uint32_t to, double needed_snr_db,
                              std::span<const std::uint32_t> met) const;
  [[nodiscard]] HostTime within_budget(const Contender& station, HostTime at, Nanoseconds length) const;
  static void spend(Contender& station, HostTime at, Nanoseconds length);
  bool over_budget(Contender& station, HostTime at);

  std::uint64_t seed_;
  std::vector<PhyMode> modes_;
  std::vector<Domain> domains_;
  std::vector<Contender> contenders_;
  std::vector<std::uint32_t> contender_of_;  // by RobotId, kNone without a station
  Slab<AirJob> jobs_;
  AirSignals signals_;
  std::vector<AirResult> finished_;  // of the last step; capacity reserved
};

}  // namespace hilgate
