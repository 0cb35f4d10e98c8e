// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace hilgate {

/// How sim time relates to wall time.
enum class Pace : std::uint8_t {
  kWall,      // boundaries are instants of the host's clock, one window apart
  kDilate,    // as kWall, with sim time running at a fixed fraction of host time
  kFollow,    // as kWall, with sim time in step with the clock of a physics simulator whose speed wanders
  kLockstep,  // no clock: the next window starts when both simulators have ended this one
};

/// Sim time runs at another rate than wall time.
constexpr bool runs_apart(Pace pace) {
  return pace == Pace::kDilate || pace == Pace::kFollow;
}

}  // namespace hilgate
