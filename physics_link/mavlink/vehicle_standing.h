// SPDX-License-Identifier: Apache-2.0
// How a vehicle stands with whoever is placed by its telemetry.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "clock/time.h"
#include "physics_link/scene.h"

namespace hilgate::mavlink {

/// What is known of a vehicle at some instant.
struct Standing {
  enum class State : std::uint8_t {
    kNotHeard,  // on its track
    kNoFix,     // the autopilot does not know where it is
    kHeard,
    kSilent,  // stays where it was
  };
  State state = State::kNotHeard;
  std::optional<std::uint8_t> system{};
  std::optional<Vec3> place{};         // the last it said, in the scene's frame
  Nanoseconds age{0};                  // of place
  std::optional<double> clock_rate{};  // of the autopilot's clock, per host time
};
const char* name(Standing::State state);
/// For people: "(1.0, 2.0, 3.0) m".
std::string metres_text(const Vec3& place);

}  // namespace hilgate::mavlink
