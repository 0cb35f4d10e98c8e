// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "clock/time.h"

namespace hilgate {

/// How far sim time may go to keep step with a physics simulator.
struct FollowOptions {
  double slowest = 0.1;                 // sim time per wall time while physics runs, (0, fastest]
  double fastest = 2;                   // up to 10
  Nanoseconds settle{200'000'000};      // an offset is slewed away within about so long
  Nanoseconds hold_after{200'000'000};  // sim time stands once physics' clock has not advanced for so long
  Nanoseconds jump{1'000'000'000};      // a larger offset is no offset: physics' clock counts from there anew
};

enum class FollowState : std::uint8_t { kWaiting, kFollowing, kHolding };

/// What the follower has seen and done.
struct FollowReport {
  FollowState state = FollowState::kWaiting;
  double rate = 0;          // of physics, per wall time
  double factor = 0;        // of sim time
  Nanoseconds offset{0};    // of physics' clock, ahead of sim time
  bool saturated = false;   // physics is slower or faster than sim time may go, for longer than `settle`
  std::uint64_t heard = 0;  // instants that physics' clock has shown
  std::uint64_t holds = 0;  // times that sim time was held because physics' clock did not advance
  std::uint64_t jumps = 0;  // times that physics' clock was set back, or forth by more than `jump`
  std::uint64_t lags = 0;   // times that sim time was more than `jump` away without one
  std::uint64_t saturations = 0;
};

/// Which bound of `follow:` has been reached, and why; of a report that is saturated.
std::string beyond_bounds_text(const FollowReport& report, const FollowOptions& options);

/// Keeps sim time in step with a physics simulator whose speed wanders: computes the factor of sim time. Sim time is
/// slewed and never jumps, and it is held while physics' clock is.
///
/// The factor is physics' own rate, over the last 300 ms, plus what slews the offset away within `settle`. Between two
/// instants that physics' clock has shown, it is taken to run on at its rate, for twice as long as it usually is
/// silent: beyond that sim time goes no farther.
///
/// Of the instants that it shows the latest counts: messages of one clock are stamped and delivered out of order,
/// within kReordering, and after a stall many come at once, of each flow those that another has brought already.
/// Physics' clock was set back when instants that come one after the other go on for longer than kReordering, by the
/// host's clock as by their own, and are all earlier than the latest, or by more than `jump`; it was set forth when it
/// advances by more than `jump` beyond what may have passed since the instant before.
class PhysicsFollower {
 public:
  /// Estimators stamp their output some milliseconds earlier than sensors (PX4: 4 ms), and packets overtake others.
  static constexpr Nanoseconds kReordering{80'000'000};

  explicit PhysicsFollower(const FollowOptions& options) : options_(options) {}

  /// Physics' clock, of whatever epoch, shows `physics` while sim time is `sim`.
  void note_clock(HostTime now, SimTime physics, SimTime sim);
  /// Physics has advanced through a step of sim time that ends at `end`, and needed `took` for it. It has no clock of
  /// its own, so sim time runs as fast as steps go, and not past the end of the one at hand.
  void note_step(HostTime now, SimTime end, Nanoseconds length, Nanoseconds took);

  /// What sim time is to run at, from `now` on, when it is `sim`.
  double factor(HostTime now, SimTime sim);
  [[nodiscard]] const FollowReport& report() const { return report_; }
  [[nodiscard]] const FollowOptions& options() const { return options_; }

 private:
  struct Instant {
    HostTime at{};
    Nanoseconds physics{0};
  };

  // Instants that are all earlier than the latest: where they began, and the latest of them.
  struct LateRun {
    Instant first{};
    Instant last{};
    SimTime sim{};  // at `first`
  };

  void advance(HostTime now, Nanoseconds shown);
  void note_late(HostTime now, Nanoseconds shown, SimTime sim);
  void count_anew(Nanoseconds physics, SimTime sim);
  [[nodiscard]] bool goes_on(const Instant& from, HostTime now, Nanoseconds shown) const;
  void learn_rate();
  void note_advance(HostTime now);
  [[nodiscard]] bool silent(HostTime now) const;
  [[nodiscard]] SimTime target(HostTime now) const;
  void hold();
  void note_saturation(HostTime now, bool saturated);

  FollowOptions options_;
  std::deque<Instant> heard_;    // the last that advanced
  std::optional<LateRun> late_;  // since then
  Nanoseconds zero_{0};          // of physics' clock, at sim time 0
  HostTime advanced_{};          // when physics' clock last did
  SimTime reached_{};            // how far it was then, as sim time
  Nanoseconds interval_{0};      // between two advances, as a rule
  Nanoseconds step_{0};          // 0: physics has a clock
  HostTime saturated_since_{};
  bool beyond_ = false;  // the bounds, now
  FollowReport report_;
};

}  // namespace hilgate
