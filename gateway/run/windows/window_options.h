// SPDX-License-Identifier: Apache-2.0
// How windows follow each other: the configuration of the window engine.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "clock/time.h"
#include "config/units.h"
#include "gateway/configuration/pace.h"

namespace hilgate {

struct WindowOptions {
  Nanoseconds window = std::chrono::milliseconds(1);
  Pace pace = Pace::kWall;
  Dilation dilation{};  // kDilate: sim time per host time
  /// The network simulator works on window k with physics' answer for k - 1, while physics works on k (ROS-NetSim,
  /// DANCERS). Without: it waits for physics and gets its answer for k.
  bool lag_one_window = true;
  /// Link states count from the moment they are answered: for a netsim whose answer is about the window's beginning.
  /// Without: as lag_one_window has it, from the next window.
  bool links_at_once = false;
  /// kFollow: sim time follows the steps of the physics simulator, which has no clock that runs by itself.
  bool physics_is_clock = false;
  Nanoseconds physics_step{0};  // must divide the window; 0: the whole window
  Nanoseconds network_step{0};
  LatePolicy late = LatePolicy::kHoldLast;
  Recovery recovery = Recovery::kCatchUp;
  /// Windows in which both simulators would answer as before are not requested: they pass with the current state.
  /// Without a lag, for simulators that answer at once, and with a timeline that is stepped by reschedule() alone.
  bool pass_unchanged = false;
  /// Windows begin without simulators that are not there yet, which are asked from the window on in which they come: of
  /// a site, where another gateway may have one.
  bool without_waiting = false;
  std::uint64_t windows = 0;  // then the run ends; 0: endless
  SimTime begin{};            // of the first window
  std::uint64_t first_window = 0;
  /// A packet that still waits for a verdict is given up after so much sim time, or after so many windows (the
  /// reference's rule, 50 windows) when that is set.
  Nanoseconds packet_hold = std::chrono::seconds(1);
  std::optional<std::uint64_t> packet_hold_windows{};

  /// Throws std::runtime_error that names the wrong value and what would be right.
  void check() const;
  /// The shortest delay that per-packet verdicts can honour exactly, without the simulators' own computing: a frame
  /// that arrives as window k begins is offered at k + 1, and its verdict is due at k + 2. 0 in lockstep.
  [[nodiscard]] Nanoseconds causality_floor() const;
};

}  // namespace hilgate
