// SPDX-License-Identifier: Apache-2.0
// Shared half-duplex media: when a frame goes on the air, and what of it survives the others.
//
// kContention: CSMA/CA after the distributed coordination function of IEEE 802.11-2020, 10.3: DIFS, slotted backoff
// that freezes while the medium is busy, contention window doubled after a failed try, acknowledgement, collisions when
// two stations' backoffs end in the same slot; every station hears every other. kOverlap (medium_overlap.cc): each
// station goes by what it hears itself, so hidden stations overlap, and the receiver decides by SINR; without ears,
// ALOHA. kTurns (medium_turns.cc): no collisions. kGranted (medium_granted.cc): as a base station says. Frames to one
// receiver may share a transmission (medium_exchange.cc). Acknowledgements may be lost, and long frames may be
// announced by RTS and CTS (medium_handshake.cc).
//
// Whether a frame gets through when nobody disturbs it was decided at capture. It does nothing for robots without a
// station.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "clock/time.h"
#include "gateway/air_signals.h"
#include "gateway/counter.h"
#include "gateway/counters.h"
#include "gateway/drop_reason.h"
#include "gateway/held_frame.h"
#include "gateway/slab.h"
#include "netsim_link/air_plan.h"

namespace hilgate {

/// One delivery of a transmission that has not been on the air yet. `held.due` counts from the end of the frame.
struct AirDelivery {
  HeldFrame held;
  LinkId link;
  NodeIndex next = kNoNode;
};

/// One transmission waiting for its turn. Deliveries are a list of AirDelivery, empty when the air loses them all.
struct AirJob {
  static constexpr std::uint32_t kGroup = 0xFFFF'FFFF;

  HostTime arrived{};
  Nanoseconds air_time{0};  // of one try, without acknowledgement
  Nanoseconds ack{0};
  std::uint32_t failing_tries = 0;  // lost on the air before the one that ends it
  std::uint32_t tries_left = 1;     // limit, collisions included
  NodeIndex deliveries = kNoNode;
  NodeIndex next = kNoNode;
  std::uint32_t to = kGroup;  // place of the receiver on the air
  std::uint32_t length = 0;   // bytes of the frame
  std::uint32_t pieces = 1;   // radio frames it takes
  std::uint8_t mode = 0;      // index into AirPlan::modes
  bool on_air = false;        // in the transmission at hand
  bool through = false;       // ... and received
  bool received = false;      // in any: the receiver has it, whether the sender knows or not
  bool handed_over = false;   // its result has been given
  bool done = false;          // received or given up; waits for those in front of it to the same receiver
  std::optional<DropReason> lost{};
};

/// What became of a job.
struct AirResult {
  NodeIndex deliveries;
  HostTime on_air_until;                 // end of the frame at the transmitter; propagation comes on top
  std::optional<DropReason> lost;        // of deliveries: kCollision or kRetriesSpent, by what ended the last try
  std::span<const std::uint32_t> met{};  // places of those who sent meanwhile, for group frames in kOverlap; for
                                         // Medium::received() within the call
  std::uint8_t mode = 0;
};

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
  /// Whether `to` received a group frame of `from`, for all that met it on the air.
  [[nodiscard]] bool received(const AirResult& result, std::uint32_t from, std::uint32_t to) const {
    return survives(from, to, modes_[result.mode].needed_snr_db, result.met);
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
  struct Exchange {
    Nanoseconds frame{0};
    Nanoseconds ack{0};
    Nanoseconds rts{0};     // 0: the frame is not announced
    Nanoseconds answer{0};  // SIFS and CTS
    Nanoseconds sifs{0};

    [[nodiscard]] bool announced() const { return rts.count() > 0; }
    [[nodiscard]] Nanoseconds before_frame() const { return rts + answer + sifs; }
    [[nodiscard]] Nanoseconds length() const { return before_frame() + frame + ack; }
    /// What is over before anybody knows that it failed.
    [[nodiscard]] Nanoseconds first() const { return announced() ? rts + answer : frame + ack; }
  };
  /// What became of a transmission of a frame that did not fail by itself.
  enum class Outcome : std::uint8_t {
    kClean,
    kSpoiled,     // it met others
    kUnanswered,  // its RTS brought no CTS
    kUnheard,     // its acknowledgement met others
  };
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
    std::vector<std::uint32_t> members;  // indices into contenders_
    std::vector<std::uint32_t> winners;  // scratch, reserved

    void add_busy(Nanoseconds length) { busy_ns.add(static_cast<std::uint64_t>(length.count())); }
  };

  // The queue that a frame from `robot` to place `to` waits in.
  [[nodiscard]] std::uint32_t contender_for(std::uint32_t robot, std::uint32_t to) const {
    const std::uint32_t first = robot < contender_of_.size() ? contender_of_[robot] : kNone;
    const bool by_receiver = first != kNone && contenders_[first].rules.base && to < contender_of_.size();
    return by_receiver ? first + 1 + to : first;
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

  // medium_turns.cc
  bool take_turns(Domain& domain, HostTime now);
  bool take_frame_turn(Domain& domain, HostTime now);
  bool take_window_turn(Domain& domain, HostTime now);

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
