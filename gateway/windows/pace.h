// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace hilgate {

/// How sim time relates to wall time.
enum class Pace : std::uint8_t {
  kWall,      // boundaries are instants of the host's clock, one window apart
  kDilate,    // as kWall, with sim time running at a fixed fraction of host time
  kLockstep,  // no clock: the next window starts when both simulators have ended this one
};

}  // namespace hilgate
