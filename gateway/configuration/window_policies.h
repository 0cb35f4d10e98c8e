// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace hilgate {

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

}  // namespace hilgate
