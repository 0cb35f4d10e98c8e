// SPDX-License-Identifier: Apache-2.0
// The clock of control threads, and their timers.
#pragma once

#include <asio/basic_waitable_timer.hpp>
#include <chrono>
#include <ctime>
#include <optional>

namespace hilgate {

/// CLOCK_MONOTONIC; on a thread that simulates time, the instant that was set there last. Asio's timers require a clock
/// with a static now(), and references and protocols read it at all depths, so that the instant belongs to the thread
/// instead of to an object that each of them was given.
class ControlClock {
 public:
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<ControlClock>;
  static constexpr bool is_steady = true;

  static time_point now() noexcept {
    if (simulated_) {
      return *simulated_;
    }
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);  // cannot fail with this clock and a valid address
    return time_point{std::chrono::seconds{now.tv_sec} + duration{now.tv_nsec}};
  }
  /// Sets this thread's instant, which stands until the next call; absent: CLOCK_MONOTONIC again. For worlds
  /// (tests/world), which poll their io_context after each step.
  static void simulate(std::optional<time_point> instant) { simulated_ = instant; }
  [[nodiscard]] static bool is_simulated() { return simulated_.has_value(); }

 private:
  inline static thread_local std::optional<time_point> simulated_;
};

/// Asio waits for the time that is left. A simulated instant does not pass while it waits, so that only a timer that is
/// due makes asio look at its timers: the caller that sets an instant adds one (tests/world).
struct ControlWait {
  static ControlClock::duration to_wait_duration(const ControlClock::duration& left) {
    return ControlClock::is_simulated() && left.count() > 0 ? std::chrono::hours{1} : left;
  }
  static ControlClock::duration to_wait_duration(const ControlClock::time_point& instant) {
    return to_wait_duration(instant - ControlClock::now());
  }
};

using ControlTimer = asio::basic_waitable_timer<ControlClock, ControlWait>;

}  // namespace hilgate
