// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/io_context.hpp>

#include <cstdint>
#include <functional>

#include "clock/host_now.h"
#include "clock/reference/reference_options.h"
#include "clock/servo/disciplined_clock.h"
#include "gateway/configuration/configuration.h"
#include "gateway/run/windows/window_timeline.h"
#include "host/control_clock.h"

namespace hilgate {

/// The reference that a configuration means on this machine, now: with source `auto` ptp4l where its socket is, else
/// the system's clock where the kernel reports that it is disciplined, else none; with `phc` and no device the clock
/// of the first port that has one. Throws std::runtime_error when no port has.
ReferenceOptions chosen_reference(const Configuration& configuration);

/// Logs the events of a clock since the last call.
class ClockEventLog {
 public:
  /// `who` is the prefix of every line.
  explicit ClockEventLog(std::string who) : who_(std::move(who)) {}
  void tell(const ClockEvents& events);

 private:
  std::string who_;
  std::uint64_t told_ = 0;
};

/// The clock of a running gateway, asked every 50 ms, and sim time on it. Control thread.
class RunClock {
 public:
  /// Opens the reference. Throws std::runtime_error for what can never work; a reference that is merely absent is
  /// awaited in holdover.
  RunClock(asio::io_context& context, const Configuration& configuration);

  /// `moved` is called whenever boundaries may be elsewhere than before.
  void start(std::function<void()> moved);

  /// Sim time per wall time, in parts per million.
  void set_pace(Dilation dilation);
  void pause();
  void resume();
  /// As ClockTimeline's.
  void begin_anew(SimTime first, WallTime site_zero) { timeline_.begin_anew(host_now(), first, site_zero); }

  [[nodiscard]] ClockTimeline& timeline() { return timeline_; }
  [[nodiscard]] const ClockTimeline& timeline() const { return timeline_; }
  [[nodiscard]] const DisciplinedClock& clock() const { return clock_; }
  /// Pace follow: whose clock.
  [[nodiscard]] FollowSource followed() const { return followed_; }
  /// Path time (clock/servo/sim_clock.h) at an instant.
  [[nodiscard]] HostTime path_time(HostTime host) const {
    return timeline_.path_pace() == nullptr ? host : timeline_.path_at(timeline_.sim_at(host));
  }
  [[nodiscard]] const ReferenceOptions& reference() const { return reference_; }

 private:
  void poll_after(Nanoseconds pause);
  void poll();
  void keep_step();
  void tell_follower();

  ReferenceOptions reference_;
  DisciplinedClock clock_;
  ClockTimeline timeline_;
  ClockEventLog log_{"clock"};
  ControlTimer timer_;
  ControlTimer step_timer_;
  FollowReport told_;
  double told_factor_ = 0;
  FollowSource followed_;
  std::function<void()> moved_;
};

}  // namespace hilgate
