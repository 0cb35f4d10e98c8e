// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clock/time.h"
#include "frame/drop_reason.h"

namespace hilgate {

/// A key whose value changes linearly from one number to another, in one unit.
struct Ramp {
  std::string key{};
  double from = 0, to = 0;
  std::string unit{};  // after the number, with the blank before it

  /// From values as a configuration has them ("0 ms", "10 %", "3"). Throws std::invalid_argument for a value that
  /// is no number with a unit, and for two units.
  static Ramp between(std::string_view key, std::string_view from, std::string_view to);
  /// KEY=VALUE of a share of the way, in [0, 1].
  [[nodiscard]] std::string assignment(double share) const;
};

}  // namespace hilgate

// A timeline of a run, on simulation time: what changes when, and what is expected of the robots' traffic meanwhile.

namespace hilgate {

/// What happens once, or again and again. Of `set`, `reset`, `ramps`, `pause` and `mark` those that are not empty.
struct ScenarioStep {
  int line = 0;           // in Scenario::file
  Nanoseconds at{0};      // the first time
  Nanoseconds period{0};  // above 0 with several times
  std::uint64_t times = 1;
  std::vector<std::string> set{};      // KEY=VALUE, as for `hilgate set`; without VALUE the key is removed
  std::vector<std::string> reset{};    // keys that are as the configuration has them
  std::vector<Ramp> ramps{};           // from the first time to the last
  std::optional<Nanoseconds> lasts{};  // of `set`: then the keys are as they were before
  std::optional<Nanoseconds> pause{};  // of host time
  std::string mark{};

  [[nodiscard]] Nanoseconds instant(std::uint64_t time) const { return at + period * static_cast<std::int64_t>(time); }
  /// KEY=VALUE of one of its times, which count from 0.
  [[nodiscard]] std::vector<std::string> values(std::uint64_t time) const;
  /// One line for people.
  [[nodiscard]] std::string text() const;
  /// When all of it is over.
  [[nodiscard]] Nanoseconds end() const { return instant(times - 1) + lasts.value_or(Nanoseconds{0}); }
};

/// The links of an expectation, by names; an absent end means every robot.
struct LinkChoice {
  std::optional<std::string> from{}, to{};

  [[nodiscard]] std::string text() const;
};

/// What must have been so when its time is over.
struct Expectation {
  enum class Kind : std::uint8_t {
    kLoss,       // share of the deliveries that were dropped
    kRate,       // bits of frames that were released, per second of simulation time
    kReachable,  // as the link tables say
    kDrops,      // reasons that occurred
    kDelay,      // from arrival to release, a percentile
    kHandover,   // of a station to another access point
  };
  enum class Reach : std::uint8_t { kAlways, kNever, kOnce };

  int line = 0;
  Kind kind = Kind::kLoss;
  LinkChoice links{};
  Nanoseconds from{0}, until{0};                // in simulation time
  std::optional<double> at_least{}, at_most{};  // kLoss: [0, 1]; kRate: bit/s; kDelay: ns
  std::string bounds{};                         // the same, as they were written
  Reach reach = Reach::kAlways;                 // kReachable
  std::vector<DropReason> absent{}, present{};  // kDrops
  double share = 0;                             // kDelay: of the deliveries that are within the bounds, (0, 1)
  std::string robot{};                          // kHandover: the station
  std::optional<std::string> access_point{};    // kHandover: that it comes to
  std::optional<Nanoseconds> within{};          // kHandover: the longest break

  /// One line for people, without its times.
  [[nodiscard]] std::string text() const;
};

struct Scenario {
  std::string file;  // whose lines these are
  Nanoseconds end{0};
  std::vector<ScenarioStep> steps{};
  std::vector<Expectation> expectations{};

  /// The same, so much later.
  [[nodiscard]] Scenario later(Nanoseconds by) const;
};

}  // namespace hilgate
