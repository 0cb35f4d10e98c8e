// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "clock/servo/disciplined_clock.h"
#include "clock/servo/physics_follower.h"
#include "clock/servo/sim_clock.h"
#include "config/units.h"
#include "gateway/run/windows/window_timeline.h"

namespace hilgate {

/// Windows at instants of the disciplined clock. Where the clock has a reference, boundaries are multiples of a
/// window's wall time since the epoch (from windows of more than a second on: whole seconds), and so on the second
/// whenever the window divides it: gateways with one reference agree without messages. Without a reference windows
/// begin at once.
///
/// The clock's slewing moves boundaries with it. A step of the clock, another length or another factor takes effect
/// where a window begins: that window is prolonged, to less than two lengths, until the next boundary is aligned again.
/// Sim time is held meanwhile and never jumps.
///
/// With a follower, windows keep step with physics instead: boundaries are where physics' clock puts them.
class ClockTimeline final : public WindowTimeline {
 public:
  /// `dilation`: sim time per wall time. The clock must outlive this. Sim time is held at `first`, where the first
  /// window begins, until begin(), and with `follow` until physics' clock is received. `site_zero`: when simulation
  /// time is 0 for the gateways that have begun before; the first window is aligned to it.
  ClockTimeline(const DisciplinedClock& clock, HostTime now, Dilation dilation,
                const std::optional<FollowOptions>& follow = {}, SimTime first = {},
                std::optional<WallTime> site_zero = {});

  /// Replaces the current simulation by another: sim time is held at `first` until begin(), which aligns the window
  /// that begins there to `site_zero`. Requires a clock with a reference, and neither a follower nor a pause.
  void begin_anew(HostTime now, SimTime first, WallTime site_zero);
  /// To be called after every poll of the clock; then the engine must reschedule(), as after the next three.
  void advance(HostTime now);
  void set_factor(HostTime now, Dilation dilation);
  void pause(HostTime now);
  void resume(HostTime now);
  /// With a follower: the factor of now. To be called every few milliseconds, and then the engine's reschedule().
  void keep_step(HostTime now);
  /// Null without one.
  [[nodiscard]] const PhysicsFollower* follower() const { return follower_ ? &*follower_ : nullptr; }
  /// For the packet path's loops; null where path time is host time.
  [[nodiscard]] const PathPace* path_pace() const { return follower_ ? &path_ : nullptr; }

  HostTime begin(HostTime now, Nanoseconds window) override;
  void window_began(HostTime now, SimTime from, Nanoseconds window) override;
  [[nodiscard]] HostTime host_at(SimTime instant) const override { return sim_.when(instant); }
  [[nodiscard]] SimTime sim_at(HostTime instant) const override { return sim_.at(instant); }
  [[nodiscard]] HostTime path_at(SimTime instant) const override {
    return follower_ ? path_.at(instant) : host_at(instant);
  }
  [[nodiscard]] SimTime sim_at_path(HostTime path) const override {
    return follower_ ? path_.sim_at(path) : sim_at(path);
  }
  void physics_clock(HostTime now, SimTime physics) override;
  void physics_stepped(HostTime now, SimTime end, Nanoseconds length, Nanoseconds took) override;
  void await_physics(HostTime now) override;
  [[nodiscard]] bool stands() const override { return paused_ || (follower_ && sim_.factor() == 0); }
  [[nodiscard]] double factor() const { return sim_.factor(); }
  /// When sim time was 0, at the pace of wall time; nothing before begin().
  [[nodiscard]] std::optional<WallTime> zero(HostTime now) const {
    const SimTime soon = sim_.at(now) + std::chrono::seconds{1};  // it may stand until its next boundary
    return begun_ ? std::optional(sim_.wall().at(sim_.when(soon)) - soon.time_since_epoch()) : std::nullopt;
  }

 private:
  void take_step(HostTime now);
  [[nodiscard]] WallTime place(WallTime at_least, Nanoseconds window) const;

  const DisciplinedClock& clock_;
  Dilation dilation_;
  SimTime first_;
  std::optional<WallTime> site_zero_;
  std::uint64_t era_;  // of the clock, that sim_ is in
  SimClock sim_;
  std::optional<PhysicsFollower> follower_;
  PathPace path_;  // of the follower
  Nanoseconds window_{0};
  bool begun_ = false;
  bool paused_ = false;
  bool misplaced_ = false;  // boundaries are not where they belong
};

}  // namespace hilgate
