// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "clock/clock_line.h"
#include "clock/seqlock.h"
#include "clock/servo/line_fit.h"
#include "clock/time.h"
#include "clock/tsc_clock.h"

namespace hilgate {

/// Sim time by host time, held at `least` while the line is below it.
struct SimLine {
  ClockLine<HostTime, SimTime> line;
  SimTime least = SimTime::min();
  [[nodiscard]] SimTime at(HostTime host) const { return std::max(line.at(host), least); }
};

/// The line in force, and the one before it for stamps that are a little older.
struct SimLines {
  SimLine current;
  SimLine previous;
  [[nodiscard]] SimTime at(HostTime host) const {
    return host < current.line.from ? previous.at(host) : current.at(host);
  }
};

/// Sim time that runs at a factor of wall time, stands while paused, and does not jump by itself: sim = sim0 + factor
/// (wall - wall0). The anchor (wall0, sim0) stays for as long as the factor does, so that rounding does not add up and
/// clocks on the same wall time stay together. The control thread changes it; any thread reads lines().
class SimClock {
 public:
  /// `start` at the instant `now` of the wall clock `wall`; `factor` in sim seconds per wall second, from 0 to 1000.
  /// Throws std::runtime_error for any other.
  SimClock(const WallLine& wall, HostTime now, SimTime start, double factor);

  void set_factor(HostTime now, double factor);
  void pause(HostTime now);
  void resume(HostTime now);
  /// The wall clock has been steered: `wall` holds from now on and is continuous here.
  void follow(HostTime now, const WallLine& wall);
  /// The wall clock has jumped to `wall`; sim time continues as if it had not.
  void step(HostTime now, const WallLine& wall);
  /// Arranges that `sim` is shown when the wall clock shows `wall`: sim time is held until it has been caught up with.
  void align(HostTime now, SimTime sim, WallTime wall);
  /// Begins anew: held at `sim` until the wall clock shows `wall`.
  void begin_anew(HostTime now, SimTime sim, WallTime wall);

  [[nodiscard]] SimLines lines() const { return lines_.load(); }
  /// Changes with every change of lines().
  [[nodiscard]] std::uint64_t version() const { return lines_.version(); }
  [[nodiscard]] SimTime at(HostTime host) const { return lines().at(host); }
  /// The first host instant at which the clock shows `sim`, by the line it runs on when it runs.
  [[nodiscard]] HostTime when(SimTime sim) const;
  [[nodiscard]] const WallLine& wall() const { return wall_; }
  [[nodiscard]] double factor() const { return factor_; }

 private:
  void anchor(HostTime now, SimTime sim);
  void publish(HostTime now);
  [[nodiscard]] SimLine line(HostTime now) const;

  double factor_;
  bool paused_ = false;
  WallLine wall_;
  ClockLine<WallTime, SimTime> pace_;
  SimTime least_ = SimTime::min();
  Seqlock<SimLines> lines_;
};

// Path time: what the packet path takes for host time. It is host time, but for a run that follows a physics simulator:
// there it goes as sim time goes, so that whatever a frame waits for (delays, rates, airtime) lasts as long for physics
// as was configured, however physics' speed wanders, and stands while physics stands.

/// Path time by sim time: they differ by a constant.
struct PathPace {
  const SimClock* sim = nullptr;
  HostTime origin{};  // path time at sim time 0

  [[nodiscard]] HostTime at(SimTime instant) const { return origin + instant.time_since_epoch(); }
  [[nodiscard]] SimTime sim_at(HostTime path) const { return SimTime{path - origin}; }
};

/// One packet loop's clock. Models HostClock (path/host_clock.h); never goes backwards.
class PathReader {
 public:
  /// `pace` null: path time is host time. Both must outlive the reader.
  PathReader(const TscClock& clock, const PathPace* pace) : tsc_(clock), pace_(pace) {}

  [[nodiscard]] HostTime now() { return path(tsc_.now()); }
  [[nodiscard]] HostTime host() { return tsc_.now(); }
  [[nodiscard]] bool is_paced() const { return pace_ != nullptr; }
  /// A clock that may come to stand is not to be waited for.
  [[nodiscard]] Nanoseconds patience() const { return pace_ != nullptr ? Nanoseconds{0} : TscReader::patience(); }

  /// Path time at an instant that is not later than now.
  [[nodiscard]] HostTime path(HostTime host) {
    if (pace_ == nullptr) {
      return host;
    }
    refresh();
    last_ = std::max(last_, pace_->at(lines_.at(host)));
    return last_;
  }
  /// When path time gets to `path`, as things stand; HostTime::max() for never.
  [[nodiscard]] HostTime host_at(HostTime path) {
    if (pace_ == nullptr || path == HostTime::max()) {
      return path;
    }
    refresh();
    const auto& line = lines_.current.line;
    return line.rate.scaled == 0 ? HostTime::max() : line.when(pace_->sim_at(path));
  }

 private:
  void refresh() {
    const std::uint64_t version = pace_->sim->version();
    if (version != version_) {
      lines_ = pace_->sim->lines();
      version_ = version;
    }
  }

  TscReader tsc_;
  const PathPace* pace_;
  SimLines lines_{};
  std::uint64_t version_ = 0;
  HostTime last_ = HostTime::min();
};

}  // namespace hilgate
