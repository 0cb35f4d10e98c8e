// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "clock/time.h"
#include "netsim_link/impairments/impaired_frame.h"

namespace hilgate {

/// Good and bad take turns for exponentially distributed times, whatever the traffic: a frame repeated a millisecond
/// later meets the same state. Always good when `bad` is 0.
struct TimedStates {
  Nanoseconds good{1};  // mean time of a stay, above 0
  Nanoseconds bad{0};

  struct State {
    bool begun = false;
    bool bad = false;
    HostTime until{};          // of this stay
    std::uint64_t dwells = 0;  // drawn so far
  };
  /// Whether the link is bad as the frame arrives. Times come from the link's own stream of dwells.
  [[nodiscard]] bool bad_at(const ImpairedFrame& frame, State& state) const;
};

}  // namespace hilgate
