// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <memory>
#include <string>

#include "clock/time.h"
#include "netsim_link/air_plan.h"
#include "path/air/access_method.h"
#include "path/air/overlapping_access.h"
#include "path/air/transmitter.h"

// ALOHA (Abramson 1970): stations transmit as soon as they have a frame and the duty cycle allows it, without
// listening.

namespace hilgate {

class Aloha final : public OverlappingAccess {
 public:
  using OverlappingAccess::OverlappingAccess;
};

}  // namespace hilgate

// Duty cycle: a budget of time on the air that fills up with `share` of the time that passes, and holds no more than a
// period's. Does nothing at share 1.

namespace hilgate {

/// Time on the air that a full budget holds.
inline Nanoseconds full_budget(const DutyCycle& duty) {
  return Nanoseconds{std::llround(duty.share * static_cast<double>(duty.period.count()))};
}

/// When, not before `at`, the budget has `length`. What is longer than a whole budget goes when the budget is full.
HostTime within_spent_budget(const Transmitter& transmitter, HostTime at, Nanoseconds length);
inline HostTime within_budget(const Transmitter& transmitter, HostTime at, Nanoseconds length) {
  const bool now = transmitter.station.duty.share >= 1 || length <= transmitter.credit;
  return now ? at : within_spent_budget(transmitter, at, length);
}

/// Takes `length` from the budget at `at`.
void spend(Transmitter& transmitter, HostTime at, Nanoseconds length);

}  // namespace hilgate

// Time division without slots: stations with something to send transmit one frame each in a circle, with the domain's
// idle time in front. No collisions.

namespace hilgate {

class RoundRobin final : public AccessMethod {
 public:
  using AccessMethod::AccessMethod;

  bool step(HostTime now) override;
  [[nodiscard]] HostTime next_event() const override;

 private:
  [[nodiscard]] HostTime access_of(const Transmitter& transmitter) const;
  void member_entered(std::size_t member) override { next_ += member < next_ ? 1 : 0; }
  void member_left(std::size_t member) override { next_ -= member < next_ ? 1 : 0; }

  std::size_t next_ = 0;  // member that is first in the circle
};

}  // namespace hilgate

// A cell whose base station grants the air (LTE: 3GPP TS 36.321, 5.3 and 5.4; NR: TS 38.321), one frame after the other
// and without collisions. The waiting station with the least time on the air is next, so that users who always have
// something to send get equal shares of it, each at its own rate: what a round robin over resource blocks gives, and
// proportional fairness where rates do not change (start-time fair queueing, Goyal, Vin and Cheng 1997). Idle stations
// do not save up time.
//
// A base station's frames are shared out by their receivers, and users' frames by their senders. In one domain for both
// ways (TDD) a frame from user to user takes the air twice, up and down; else (FDD) its way down is another domain's,
// which is as long and not counted. Within a frame's time the whole band is its own: what goes by blocks of a
// millisecond side by side goes one after the other here.

namespace hilgate {

class Scheduled final : public AccessMethod {
 public:
  using AccessMethod::AccessMethod;

  bool step(HostTime now) override;
  [[nodiscard]] HostTime next_event() const override;
  void head_changed(Transmitter& transmitter) override;

 private:
  [[nodiscard]] HostTime access_of(const Transmitter& transmitter) const;
  [[nodiscard]] int passes_of(const Transmitter& transmitter) const;

  Nanoseconds service_{0};  // Transmitter::service where the last transmission began: the cell's virtual time
};

}  // namespace hilgate

// The ways of medium access that there are.

namespace hilgate {

/// A domain without members. `transmitters` must outlive it.
std::unique_ptr<AccessMethod> make_access_method(const AirDomain& rules, Transmitters& transmitters);

/// For people.
std::string access_text(const AirDomain& rules);

}  // namespace hilgate
