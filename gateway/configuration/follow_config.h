// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "clock/servo/physics_follower.h"

namespace hilgate {

/// Whose clock pace follow keeps step with.
enum class FollowSource : std::uint8_t {
  kSteps,    // the physics simulator's answers: it advances by steps and has no other clock
  kFeed,     // the clock of whoever sends positions
  kSocket,   // of whoever writes to a socket of its own, as CORNET's bridges of ROS' /clock do
  kMavlink,  // the time since boot of the first vehicle that is heard
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
