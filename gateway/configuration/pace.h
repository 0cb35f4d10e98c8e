// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "clock/servo/physics_follower.h"

namespace hilgate {

/// How sim time relates to wall time.
enum class Pace : std::uint8_t {
  kWall,      // boundaries are instants of the host's clock, one window apart
  kDilate,    // as kWall, with sim time running at a fixed fraction of host time
  kFollow,    // as kWall, with sim time in step with the clock of a physics simulator whose speed wanders
  kLockstep,  // no clock: the next window starts when both simulators have ended this one
};

/// Why ports have no use for timestamps and launch times with Pace::kFollow.
inline constexpr const char* kFollowedTime = "with pace follow, frames are due in the time of the physics simulator";

/// Sim time runs at another rate than wall time.
constexpr bool runs_apart(Pace pace) {
  return pace == Pace::kDilate || pace == Pace::kFollow;
}

/// What a missed deadline costs, in the paces that have deadlines.
enum class LatePolicy : std::uint8_t {
  kHoldLast,  // the last scene and link states stay; packets are released late, and counted
  kDiscard,   // packets whose release time has passed when their verdict comes are dropped, as CORNET does
  kHalt,      // the run stops cleanly
};

/// What a simulator that missed windows does when it is back.
enum class Recovery : std::uint8_t {
  kCatchUp,  // every missed window, as fast as it can: for simulators that advance by a fixed step
  kSkip,     // straight to the window at hand: for simulators that take their time from the BEGIN
};

/// Whose clock pace follow keeps step with.
enum class FollowSource : std::uint8_t {
  kSteps,    // the physics simulator's answers: it advances by steps and has no other clock
  kFeed,     // the clock of the sender of positions
  kSocket,   // of the writer to a separate socket, as CORNET's bridges of ROS' /clock
  kMavlink,  // the time since boot of the first vehicle received
};

/// `follow:`, with pace follow.
struct FollowConfig {
  FollowSource source = FollowSource::kSteps;
  std::string socket{};  // kSocket: its path
  FollowOptions options{};
};

/// For people.
constexpr const char* name(FollowSource source) {
  switch (source) {
    case FollowSource::kSteps:
      return "steps";
    case FollowSource::kFeed:
      return "feed";
    case FollowSource::kSocket:
      return "socket";
    case FollowSource::kMavlink:
      break;
  }
  return "mavlink";
}

}  // namespace hilgate
