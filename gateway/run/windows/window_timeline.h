// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "clock/clock_line.h"
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

}  // namespace hilgate
