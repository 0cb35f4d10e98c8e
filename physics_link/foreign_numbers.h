// SPDX-License-Identifier: Apache-2.0
// The single check of numbers from outside: simulators, feeds, robots' telemetry, files, control requests. Values that
// are out of range, infinite or not a number are refused here, so that no model needs to check.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "clock/time.h"
#include "physics_link/scene.h"

namespace hilgate {

/// Robots that a peer may speak of.
inline constexpr std::size_t kMostRobots = 1024;
/// Half the edge of the world: how far from the origin a coordinate may be, m. Includes geostationary orbits (42 164 km
/// from the centre of the earth); squares, sums and paths in wavelengths keep their precision.
inline constexpr double kWorldReach = 1e8;
/// The longest run, of sim time: 31 years. Sums and differences of such times fit 64 bits of nanoseconds.
inline constexpr Nanoseconds kLongestRun = std::chrono::seconds(1'000'000'000);
/// The longest delay of a link or packet; a later release is a fault.
inline constexpr Nanoseconds kLongestForeignDelay = std::chrono::hours(24);
/// Levels and losses beyond this many dB differ from nothing that a receiver can tell apart.
inline constexpr double kMostDecibels = 1000;

/// False for NaN, too.
inline bool is_bounded(const Vec3& at) {
  return std::abs(at.x) <= kWorldReach && std::abs(at.y) <= kWorldReach && std::abs(at.z) <= kWorldReach;
}

/// What is wrong with coordinates that are not bounded, for messages that begin with "a place that is".
inline const char* unbounded_text(const Vec3& at) {
  const bool finite = std::isfinite(at.x) && std::isfinite(at.y) && std::isfinite(at.z);
  return finite ? "more than 1e8 m from the origin" : "not a number";
}

/// A position in the world; empty when a coordinate is not a number or more than kWorldReach from the origin.
inline std::optional<Vec3> bounded_position(const Vec3& at) {
  return is_bounded(at) ? std::optional(at) : std::nullopt;
}

/// As bounded_position(). Four zeros of an orientation mean that none was given; one that is no number is refused.
inline std::optional<Pose> bounded_pose(const Vec3& at, const Quaternion& turned) {
  constexpr double kMostOfQuaternion = 1e3;  // of unit length, as senders round it
  const auto good = [](double part) { return std::abs(part) <= kMostOfQuaternion; };
  if (!is_bounded(at) || !good(turned.w) || !good(turned.x) || !good(turned.y) || !good(turned.z)) {
    return std::nullopt;
  }
  const bool given = turned != Quaternion{.w = 0};
  return Pose{at, given ? turned : Quaternion{}, given};
}

/// A level or loss in dB; infinite ones become the most or the least. Empty for NaN.
inline std::optional<double> bounded_decibels(double db) {
  return std::isnan(db) ? std::nullopt : std::optional(std::clamp(db, -kMostDecibels, kMostDecibels));
}

/// Sim time in [0, kLongestRun]; empty outside.
inline std::optional<SimTime> bounded_time(std::int64_t ns) {
  return ns >= 0 && ns <= kLongestRun.count() ? std::optional(SimTime{Nanoseconds{ns}}) : std::nullopt;
}
inline std::optional<SimTime> bounded_time_of_seconds(double seconds) {
  constexpr double kMost = 1e9;  // kLongestRun
  return seconds >= 0 && seconds <= kMost ? std::optional(SimTime{Nanoseconds{std::llround(seconds * 1e9)}})
                                          : std::nullopt;
}
/// When window `number` begins, at most kLongestRun. `window` > 0.
inline SimTime bounded_start(std::uint64_t number, Nanoseconds window) {
  const auto last = static_cast<std::uint64_t>(kLongestRun / window);
  return SimTime{window * static_cast<std::int64_t>(std::min(number, last))};
}
/// The nearest time in [0, kLongestRun], for times where the nearest does no harm.
inline SimTime nearest_time(std::int64_t ns) {
  return SimTime{Nanoseconds{std::clamp<std::int64_t>(ns, 0, kLongestRun.count())}};
}

/// A delay in [0, kLongestForeignDelay]; empty outside.
inline std::optional<Nanoseconds> bounded_delay(std::int64_t ns) {
  return ns >= 0 && ns <= kLongestForeignDelay.count() ? std::optional(Nanoseconds{ns}) : std::nullopt;
}

}  // namespace hilgate
