// SPDX-License-Identifier: Apache-2.0
// How the stations of one domain come to transmit: one class for each way, in a file of its own, and a row in
// path/air/access_methods.cc.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "clock/time.h"
#include "frame/counters.h"
#include "netsim_link/air_plan.h"
#include "path/air/audiences.h"
#include "path/air/frame_exchange.h"
#include "path/air/receivers.h"
#include "path/air/transmitters.h"

namespace hilgate {

/// A domain: its members, and when which of them transmits. Used by one thread. Does not allocate after reserve().
class AccessMethod {
 public:
  AccessMethod(const AirDomain& rules, Transmitters& transmitters)
      : rules_(rules),
        transmitters_(transmitters),
        exchanges_(rules_, transmitters),
        audiences_(transmitters, members_, rules_.carrier_sense_dbm),
        receivers_(transmitters, audiences_) {}
  virtual ~AccessMethod() = default;
  AccessMethod(const AccessMethod&) = delete;
  AccessMethod& operator=(const AccessMethod&) = delete;

  /// Advances to the next event, if there is one by `now`: a transmission, its end, or both. What it finishes is in
  /// Transmitters::results().
  virtual bool step(HostTime now) = 0;
  /// When the first event is, as things stand; HostTime::max() when nothing waits.
  [[nodiscard]] virtual HostTime next_event() const = 0;
  /// A member's queue was empty and has a frame, or has another frame at its head.
  virtual void head_changed(Transmitter& transmitter) { defer_if_busy(transmitter, idle_from_); }
  /// Jobs of a transmitter have been removed: another is at the head, or none is left, and nothing on the air.
  virtual void jobs_removed(Transmitter& /*transmitter*/) {}
  /// Makes room for so many members.
  virtual void reserve(std::size_t most) {
    members_.reserve(most);
    audiences_.reserve(most);
    receivers_.reserve(most);
  }

  /// A station comes as one whose queue was empty: least contention window, no backoff but for a busy medium (IEEE
  /// 802.11-2020, 10.3.4.3). One that goes is silent; what it was transmitting waits with the rest.
  void enter(Transmitter& transmitter, HostTime now);
  void leave(Transmitter& transmitter, HostTime now);
  void add_member(std::uint32_t transmitter) {
    transmitters_[transmitter].place = static_cast<std::uint32_t>(members_.size());
    members_.push_back(transmitter);
  }
  /// `transmitter` takes over the state of `before`, of the domain `old`. What overlaps at that moment begins again.
  void continue_from(const AccessMethod& old, const Transmitters& transmitters, const Transmitter& before,
                     Transmitter& transmitter);

  /// Time on the air since the start. Where transmissions overlap, of each of them.
  [[nodiscard]] Nanoseconds busy() const { return Nanoseconds{static_cast<std::int64_t>(busy_ns_.get())}; }
  [[nodiscard]] std::uint64_t acks_lost() const { return exchanges_.acks_lost(); }
  [[nodiscard]] const AirDomain& rules() const { return rules_; }
  [[nodiscard]] const Receivers& receivers() const { return receivers_; }

 protected:
  /// Indices of transmitters, increasing.
  [[nodiscard]] const std::vector<std::uint32_t>& members() const { return members_; }
  /// The least access_time(transmitter) of the members that have a frame. A template, not a virtual call for each
  /// member.
  template <class AccessTime>
  [[nodiscard]] HostTime first_access(AccessTime access_time) const {
    const std::span<const Transmitter> transmitters = std::as_const(transmitters_).all();
    HostTime first = HostTime::max();
    for (const std::uint32_t member : members_) {
      if (!transmitters[member].empty()) {
        first = std::min(first, access_time(transmitters[member]));
      }
    }
    return first;
  }
  /// A member comes to or goes from that place.
  virtual void member_entered(std::size_t /*place*/) {}
  virtual void member_left(std::size_t /*place*/) {}

  /// A whole frame exchange that no other transmission meets.
  void transmit(Transmitter& transmitter, HostTime at);
  /// end(), of an exchange that is over at `over`: what it takes out of the queue occupies its slot there until then.
  template <class End>
  static void end_later(Transmitter& transmitter, HostTime over, End end) {
    const std::uint32_t before = transmitter.queued;
    end();
    transmitter.leaving = before - transmitter.queued;
    transmitter.leaves_at = over;
  }
  /// The medium is busy for all members.
  void occupy(HostTime from, Nanoseconds length);
  void add_busy(Nanoseconds length) { busy_ns_.add(static_cast<std::uint64_t>(length.count())); }
  /// A station whose frame finds the medium busy waits a random time once it is idle again (10.3.4.3). It may have come
  /// before or after the transmission that is in its way was granted. Without contention windows the time is 0.
  void defer_if_busy(Transmitter& transmitter, HostTime idle_from) {
    if (!transmitter.empty() && !transmitter.backing_off && transmitters_.head(transmitter).arrived < idle_from) {
      transmitters_.draw_backoff(transmitter);
    }
  }

  const AirDomain rules_;
  Transmitters& transmitters_;
  FrameExchanges exchanges_;
  Audiences audiences_;
  Receivers receivers_;
  HostTime idle_from_{};  // end of the last transmission; where they overlap: time of the last event

 private:
  void number_members(std::size_t from);

  std::vector<std::uint32_t> members_;
  Counter busy_ns_{};
};

}  // namespace hilgate
