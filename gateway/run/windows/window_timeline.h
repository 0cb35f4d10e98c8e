// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "clock/clock_line.h"
#include "clock/servo/disciplined_clock.h"
#include "clock/servo/physics_follower.h"
#include "clock/servo/sim_clock.h"
#include "clock/time.h"
#include "config/units.h"

namespace hilgate {

/// Where windows stand on the host's clock, in the paces that have one. Control thread.
class WindowTimeline {
 public:
  virtual ~WindowTimeline() = default;
  WindowTimeline() = default;
  WindowTimeline(const WindowTimeline&) = delete;
  WindowTimeline& operator=(const WindowTimeline&) = delete;

  /// The simulation is ready, in windows of `window` of sim time: the first one begins at the answer, which is not
  /// before `now`.
  virtual HostTime begin(HostTime now, Nanoseconds window) = 0;
  /// The window [from, from + window) has begun: for whatever changes at boundaries only.
  virtual void window_began(HostTime now, SimTime from, Nanoseconds window) = 0;
  /// When sim time gets to `instant`, as things stand now.
  [[nodiscard]] virtual HostTime host_at(SimTime instant) const = 0;
  [[nodiscard]] virtual SimTime sim_at(HostTime instant) const = 0;
  /// Between sim time and path time (clock/servo/sim_clock.h), which is host time unless the run follows physics.
  [[nodiscard]] virtual HostTime path_at(SimTime instant) const { return host_at(instant); }
  [[nodiscard]] virtual SimTime sim_at_path(HostTime path) const { return sim_at(path); }
  /// Physics' own clock shows `physics`; or physics has answered a step that ends at `end` after `took`.
  virtual void physics_clock(HostTime, SimTime) {}
  virtual void physics_stepped(HostTime, SimTime, Nanoseconds, Nanoseconds) {}
  /// Sim time must not advance until physics has answered.
  virtual void await_physics(HostTime) {}
  /// Simulation time stands until reschedule().
  [[nodiscard]] virtual bool stands() const { return false; }
};

/// From the moment both simulators are ready, at an even pace on the host's own clock.
class EvenTimeline final : public WindowTimeline {
 public:
  /// `dilation`: sim time per host time. `begin`: of the first window.
  explicit EvenTimeline(Dilation dilation, SimTime begin = {}) : ppm_(dilation.ppm), begin_(begin) {}

  HostTime begin(HostTime now, Nanoseconds) override { return origin_ = now; }
  void window_began(HostTime, SimTime, Nanoseconds) override {}
  // Up: the first nanosecond at which sim_at() has got there, so that a boundary is in the window that it begins.
  [[nodiscard]] HostTime host_at(SimTime instant) const override {
    const auto scaled = static_cast<Int128>((instant - begin_).count()) * kMillion;
    return origin_ + Nanoseconds{static_cast<std::int64_t>(scaled / ppm_ + (scaled % ppm_ > 0 ? 1 : 0))};
  }
  [[nodiscard]] SimTime sim_at(HostTime instant) const override {
    return begin_ +
           Nanoseconds{static_cast<std::int64_t>(static_cast<Int128>((instant - origin_).count()) * ppm_ / kMillion)};
  }

 private:
  static constexpr std::int64_t kMillion = 1'000'000;

  std::int64_t ppm_;
  SimTime begin_;
  HostTime origin_{};
};

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
