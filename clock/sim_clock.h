// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "clock/clock_line.h"
#include "clock/seqlock.h"
#include "clock/time.h"

namespace hilgate {

using SimLine = ClockLine<HostTime, SimTime>;

/// Sim time by host time: the line in force, and the one before it for stamps that are a little older.
struct SimLines {
  SimLine current;
  SimLine previous;
  [[nodiscard]] SimTime at(HostTime host) const { return host < current.from ? previous.at(host) : current.at(host); }
};

/// Sim time that runs at a factor of wall time, stands while paused, and never jumps. The control thread changes it;
/// anybody reads lines().
class SimClock {
 public:
  /// `factor` in sim seconds per wall second, from 0 to 1000. Throws std::runtime_error for any other.
  SimClock(HostTime now, SimTime start, double factor);

  void set_factor(HostTime now, double factor);
  void pause(HostTime now);
  void resume(HostTime now);
  /// Tells how fast wall time runs against host time just now (WallLine::rate), so that sim time keeps in step with the
  /// disciplined clock and not with the host's oscillator.
  void follow(HostTime now, ClockRate wall);

  [[nodiscard]] SimLines lines() const { return lines_.load(); }
  [[nodiscard]] double factor() const { return factor_; }
  [[nodiscard]] bool is_paused() const { return paused_; }

 private:
  void publish(HostTime now);

  double factor_;
  bool paused_ = false;
  ClockRate wall_{};
  Seqlock<SimLines> lines_;
};

}  // namespace hilgate
