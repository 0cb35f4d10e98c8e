// SPDX-License-Identifier: Apache-2.0
// A shared half-duplex medium with CSMA/CA, after the distributed coordination function of IEEE 802.11-2020, 10.3:
// DIFS, slotted backoff that freezes while the medium is busy, contention window doubled after a failed try,
// acknowledgement, collisions when two stations' backoffs end in the same slot.
//
// It decides when a frame goes on the air; whether the receiver gets it was decided at capture. Not modelled here:
// capture effect and hidden stations (every station of a domain hears every other). It does nothing for robots
// without a station.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "clock/time.h"
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
  HostTime arrived{};
  Nanoseconds air_time{0};  // of one try, without acknowledgement
  Nanoseconds ack{0};
  std::uint32_t failing_tries = 0;  // lost on the air before the one that ends it
  std::uint32_t tries_left = 1;     // limit, collisions included
  NodeIndex deliveries = kNoNode;
  NodeIndex next = kNoNode;
};

/// What became of a job.
struct AirResult {
  NodeIndex deliveries;
  HostTime on_air_until;           // end of the frame at the transmitter; propagation comes on top
  std::optional<DropReason> lost;  // of deliveries: kCollision or kRetriesSpent, by what ended the last try
};

/// All domains of the gateway. Used by one thread. Does not allocate after construction.
class Medium {
 public:
  /// Has room for the jobs that the stations' queues take, at least for `least`.
  Medium(const AirPlan& plan, std::uint64_t seed, std::size_t least = 0);

  /// Goes on where `old` is: every job waits at the station it waited at, also beyond its queue's limit, and stations
  /// keep their backoff. Jobs of those that have no station any more go to done(const AirResult&) as sent at `now`.
  /// Requires room for the jobs of `old`, and leaves it without.
  template <class Done>
  void take_over(Medium& old, HostTime now, Done done) {
    for (Contender& before : old.contenders_) {
      const std::uint32_t place = before.robot < contender_of_.size() ? contender_of_[before.robot] : kNone;
      if (place != kNone) {
        continue_from(old, before, contenders_[place]);
      }
      while (before.head != kNoNode) {
        const AirJob job = old.jobs_[before.head];
        old.remove_head(before);
        if (place == kNone) {
          done(AirResult{job.deliveries, now, std::nullopt});
        } else {
          append(contenders_[place], job);
        }
      }
    }
  }
  /// Jobs there is room for.
  [[nodiscard]] std::size_t capacity() const { return jobs_.capacity(); }

  /// False when the station's transmit queue is full. Requires a station for `sender`.
  bool enqueue(RobotId sender, const AirJob& job);
  [[nodiscard]] bool has_room(RobotId sender) const;

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

  /// Hands out the deliveries of every waiting job, for shutdown.
  template <class Each>
  void drain(Each each) {
    for (Contender& station : contenders_) {
      while (station.head != kNoNode) {
        each(jobs_[station.head].deliveries);
        remove_head(station);
      }
    }
  }

  /// Air time used per domain since the start, for utilisation.
  [[nodiscard]] Nanoseconds busy(std::uint32_t domain) const { return domains_[domain].busy; }
  [[nodiscard]] std::uint32_t queued(RobotId sender) const;

 private:
  static constexpr std::uint32_t kNone = 0xFFFF'FFFF;
  struct Contender {
    std::uint32_t robot = 0;
    std::uint32_t domain = 0;  // index into domains_
    std::uint32_t queue_limit = 0;
    std::uint32_t queued = 0;
    std::uint32_t window = 0;   // contention window, slots
    bool backing_off = false;   // also after a transmission with nothing left to send (10.3.4.3)
    std::uint32_t backoff = 0;  // slots still to count down
    std::uint64_t draws = 0;
    NodeIndex head = kNoNode;
    NodeIndex tail = kNoNode;
  };
  struct Domain {
    AirDomain rules;
    HostTime idle_from{};
    Nanoseconds busy{0};
    std::vector<std::uint32_t> members;  // indices into contenders_
    std::vector<std::uint32_t> winners;  // scratch, reserved
  };

  bool append(Contender& station, const AirJob& job);
  void continue_from(const Medium& old, const Contender& before, Contender& station);
  bool step(Domain& domain, HostTime now);
  [[nodiscard]] HostTime access_time(const Domain& domain, const Contender& station) const;
  void count_down(Domain& domain, HostTime until);
  void defer_if_busy(const Domain& domain, Contender& station);
  void draw_backoff(Contender& station);
  void transmit_alone(Domain& domain, Contender& station, HostTime at);
  void collide(Domain& domain, HostTime at);
  void finish_head(Contender& station, HostTime on_air_until, std::optional<DropReason> lost);
  void remove_head(Contender& station);
  void occupy(Domain& domain, HostTime from, Nanoseconds length);

  std::uint64_t seed_;
  std::vector<Domain> domains_;
  std::vector<Contender> contenders_;
  std::vector<std::uint32_t> contender_of_;  // by RobotId, kNone without a station
  Slab<AirJob> jobs_;
  std::vector<AirResult> finished_;  // of the last step; capacity reserved
};

}  // namespace hilgate
