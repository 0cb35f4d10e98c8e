// SPDX-License-Identifier: Apache-2.0
// Shared media: when a frame is transmitted, and which parts of it survive the others. How the stations of a domain
// come to transmit is an AccessMethod's (path/air/access_methods.cc has them all).
//
// Whether a frame is received when no other transmission meets it was decided at capture. It does nothing for robots
// without a station.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "clock/time.h"
#include "frame/counters.h"
#include "frame/slab.h"
#include "netsim_link/air_plan.h"
#include "path/air/access_method.h"
#include "path/air/air_transmission.h"
#include "path/air/transmitters.h"
#include "path/fate/air_signals.h"

namespace hilgate {

/// All domains of the gateway. Used by one thread. Does not allocate after construction.
class Medium {
 public:
  /// Has room for the jobs that the stations' queues take, at least for `least`.
  Medium(const AirPlan& plan, std::uint64_t seed, std::size_t least = 0);

  /// Takes over the state of `old`: every job waits at the station it waited at, also beyond its queue's limit, and
  /// stations keep their backoff. Jobs of those that have no station any more go to done(const AirResult&) as sent at
  /// `now`. Transmissions that overlap at that moment begin again. Requires room for the jobs of `old`, and leaves it
  /// without.
  template <class Done>
  void take_over(Medium& old, HostTime now, Done done) {
    for (Transmitter& before : old.transmitters_->all()) {
      Transmitter* const same = transmitters_->of(before.robot, before.receiver, before.category);
      if (same != nullptr) {
        domain_of(*same).continue_from(old.domain_of(before), *old.transmitters_, before, *same);
      }
      while (!before.empty()) {
        const AirJob job = old.transmitters_->head(before);
        old.transmitters_->remove(before, kNoNode);
        if (same == nullptr) {
          done(AirResult{.deliveries = job.deliveries, .on_air_until = now, .lost = job.lost});
        } else {
          append(*transmitters_->of(before.robot, job.to, job.category), job);
        }
      }
    }
  }
  /// Jobs there is room for.
  [[nodiscard]] std::size_t capacity() const { return transmitters_->capacity(); }

  /// Sets which stations hear each other.
  void set_signals(const AirSignals& signals) { transmitters_->set_signals(signals); }

  /// False when the station's transmit queue is full. Requires a station for `sender`.
  bool enqueue(RobotSlot sender, const AirJob& job);
  /// At `at`, for a frame to that receiver; AirJob::kGroup is everybody. `bytes`: AirJob::left.
  [[nodiscard]] bool has_room(RobotSlot sender, HostTime at, std::uint32_t to = AirJob::kGroup, std::uint32_t bytes = 0,
                              AccessCategory category = AccessCategory::kBestEffort) const;
  /// Of a frame in the queues of its sender: with EDCA by its DSCP, `packet` begins after the MAC header.
  [[nodiscard]] AccessCategory category_of(RobotSlot sender, std::span<const std::byte> packet) const;
  /// Whether the station has a queue in bytes.
  [[nodiscard]] bool is_serial(RobotSlot sender) const {
    const Transmitter* const transmitter = transmitters_->of(sender.value());
    return transmitter != nullptr && transmitter->station.serial;
  }
  /// Whether both robots are stations of one domain now.
  [[nodiscard]] bool in_one_domain(RobotSlot one, RobotSlot other) const {
    const Transmitter* const first = transmitters_->of(one.value());
    const Transmitter* const second = transmitters_->of(other.value());
    return first != nullptr && second != nullptr && first->domain == second->domain;
  }
  /// The rules of the mesh that the robot is a station of; null: of none.
  [[nodiscard]] const MeshForwarding* mesh_of(RobotSlot station) const {
    const Transmitter* const transmitter = transmitters_->of(station.value());
    if (transmitter == nullptr || !domains_[transmitter->domain]->rules().mesh) {
      return nullptr;
    }
    return &*domains_[transmitter->domain]->rules().mesh;
  }
  /// Station::group_mode; requires a station.
  [[nodiscard]] std::uint8_t group_mode(RobotSlot station) const {
    return transmitters_->of(station.value())->station.group_mode;
  }
  /// Whether any domain is a mesh.
  [[nodiscard]] bool has_mesh() const { return has_mesh_; }
  /// Makes room in a full queue in bytes: messages that wait are removed, each(NodeIndex) gets their deliveries. False:
  /// it is the new one that goes. Which is drawn, because of a burst a serial port loses some here and there, while the
  /// datagrams of a burst come at once and its end would always be lost.
  template <class Each>
  bool make_room(RobotSlot sender, HostTime at, std::uint32_t bytes, Each each) {
    Transmitter& transmitter = of(sender);
    while (!has_room(sender, at, AirJob::kGroup, bytes)) {
      const NodeIndex drawn =
          bytes <= transmitter.station.queue_bytes ? transmitters_->draw_waiting(transmitter) : kNoNode;
      if (drawn == kNoNode) {
        return false;
      }
      transmitters_->change_jobs(transmitter, [&](const AirJob& job) {
        const bool stays = &job != &transmitters_->job(drawn);
        if (!stays) {
          each(job.deliveries);
        }
        return stays;
      });
      domain_of(transmitter).jobs_removed(transmitter);
    }
    return true;
  }

  /// Lets stations transmit up to `now` and hands each finished job to `done(const AirResult&)`.
  template <class Done>
  void advance(HostTime now, Done done) {
    for (const auto& domain : domains_) {
      while (domain->step(now)) {
        hand_out(done);
      }
    }
  }
  /// The first event of all domains up to `limit`, and its finished jobs to done(const AirResult&); false when there is
  /// none. As advance(), one event at a time and in the order of time over domains, for what goes from one to another.
  template <class Done>
  bool advance_once(HostTime limit, Done done) {
    AccessMethod* const domain = first_domain(limit);
    if (domain == nullptr) {
      return false;
    }
    domain->step(domain->next_event());
    hand_out(done);
    return true;
  }
  /// When the first event of all domains is, as things stand; HostTime::max(): none.
  [[nodiscard]] HostTime next_event() const;
  /// Whether `to` received a group frame of `from`, for all that transmitted meanwhile. To be asked once.
  [[nodiscard]] bool received(const AirResult& result, std::uint32_t from, std::uint32_t to);

  // ---- stations of access points: in no domain until they join one; their queues are there all the time ----

  /// The station is silent from `now` on. What it was transmitting is not received, and waits with the rest.
  void leave(RobotSlot station, HostTime now);
  /// The station is in the access point's domain from `now` on. `aim(AirJob&)` has each job that waits changed for its
  /// receiver; those for which it returns false are removed. A finished job waits for others in front of it.
  template <class Aim>
  void join(RobotSlot station, RobotSlot access_point, HostTime now, Aim aim) {
    for (Transmitter& transmitter : transmitters_->queues_of(station.value())) {
      transmitter.domain = of(access_point).domain;
      AccessMethod& domain = domain_of(transmitter);
      domain.enter(transmitter, now);
      transmitters_->change_jobs(transmitter, [&](AirJob& job) {
        job.arrived = std::max(job.arrived, transmitter.idle_from);
        return aim(job);
      });
      domain.head_changed(transmitter);
    }
  }
  /// Removes what waits at a station; each(NodeIndex) gets the deliveries.
  template <class Each>
  void clear(RobotSlot station, Each each) {
    for (Transmitter& transmitter : transmitters_->queues_of(station.value())) {
      transmitters_->change_jobs(transmitter, [&](AirJob& job) {
        each(job.deliveries);
        return false;
      });
      domain_of(transmitter).jobs_removed(transmitter);
    }
  }
  /// Removes the unicast frames to `to` that wait at a station; each(NodeIndex) gets the deliveries. One that is on the
  /// air stays there, without a receiver.
  template <class Each>
  void clear_to(RobotSlot station, RobotSlot to, Each each) {
    for (Transmitter& transmitter : transmitters_->queues_of(station.value())) {
      transmitters_->change_jobs(transmitter, [&](AirJob& job) {
        if (job.to != to.value()) {
          return true;
        }
        each(job.deliveries);
        job.deliveries = kNoNode;
        return job.on_air || (&job == &transmitters_->head(transmitter) && transmitter.fragments_sent > 0);
      });
      domain_of(transmitter).head_changed(transmitter);
    }
  }

  /// Hands out the deliveries of every waiting job, for shutdown.
  template <class Each>
  void drain(Each each) {
    for (Transmitter& transmitter : transmitters_->all()) {
      while (!transmitter.empty()) {
        each(transmitters_->head(transmitter).deliveries);
        transmitters_->remove(transmitter, kNoNode);
      }
      transmitter.fragments_sent = 0;
      domain_of(transmitter).jobs_removed(transmitter);
    }
  }

  /// Air time used per domain since the start, for utilisation. Where transmissions overlap, of each of them.
  [[nodiscard]] Nanoseconds busy(std::uint32_t domain) const { return domains_[domain]->busy(); }
  /// Adds the use of each domain; from any thread, except during take_over().
  void add_use(std::vector<AirUse>& uses) const;
  [[nodiscard]] std::uint32_t queued(RobotSlot sender) const;
  /// Of a queue in bytes; from any thread, except during take_over().
  [[nodiscard]] std::uint64_t queued_bytes(RobotSlot sender) const;

 private:
  [[nodiscard]] Transmitter& of(RobotSlot station) { return *transmitters_->of(station.value()); }
  [[nodiscard]] AccessMethod& domain_of(const Transmitter& transmitter) { return *domains_[transmitter.domain]; }
  [[nodiscard]] AccessMethod* first_domain(HostTime limit);
  bool append(Transmitter& transmitter, const AirJob& job);
  template <class Done>
  void hand_out(Done& done) {
    for (const AirResult& result : transmitters_->results()) {
      done(result);
    }
    transmitters_->results().clear();
  }

  std::unique_ptr<Transmitters> transmitters_;  // where it is when this is moved: domains_ refer to it
  std::vector<std::unique_ptr<AccessMethod>> domains_;
  bool has_mesh_ = false;
};

}  // namespace hilgate
