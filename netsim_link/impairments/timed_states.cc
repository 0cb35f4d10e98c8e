// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/impairments/timed_states.h"

#include <algorithm>

#include "netsim_link/impairments/delay_distribution.h"
#include "rf_profiles/numeric/random.h"

namespace hilgate {
namespace {

// Draws of dwells: of the link's stream, in the upper half of frame numbers, which frames never reach.
FrameRandom dwell_random(std::uint64_t seed, std::uint32_t link, std::uint64_t dwell) {
  return {seed, link, (std::uint64_t{1} << 63) + dwell};
}

}  // namespace

bool TimedStates::bad_at(const ImpairedFrame& frame, State& state) const {
  if (bad.count() == 0) {
    return false;
  }
  if (!state.begun) {
    const auto share = static_cast<double>(bad.count()) / static_cast<double>((bad + good).count());
    FrameRandom first = dwell_random(frame.seed, frame.link, state.dwells++);
    state = {true, first.uniform() <= share, frame.arrived, state.dwells};
    state.until = frame.arrived + delay_of(first.exponential() * static_cast<double>((state.bad ? bad : good).count()));
  }
  while (frame.arrived >= state.until) {
    state.bad = !state.bad;
    FrameRandom next = dwell_random(frame.seed, frame.link, state.dwells++);
    const auto mean = static_cast<double>((state.bad ? bad : good).count());
    state.until += std::max(delay_of(next.exponential() * mean), Nanoseconds{1});
  }
  return state.bad;
}

}  // namespace hilgate
