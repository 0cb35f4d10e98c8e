// SPDX-License-Identifier: Apache-2.0
// Delays that vary from frame to frame, and what that does to the order of frames (peers, 5.8).
#pragma once

#include <cstdint>

#include "clock/time.h"
#include "netsim_link/impairments/delay_distribution.h"
#include "netsim_link/impairments/impaired_frame.h"
#include "rf_profiles/numeric/random.h"

namespace hilgate {

enum class JitterMode : std::uint8_t {
  kFifo,         // independent draws without reordering: raises the mean delay
  kIndependent,  // independent draws, frames overtake one another
  kCorrelated,   // neighbours in time get similar delays, so that few overtake, and the distribution stays as asked for
};

/// What a link remembers of its jitter.
struct JitterState {
  double z = 0;  // the process, standard normal
  HostTime at{};
  bool begun = false;
};

/// A delay drawn for every frame, on top of what is constant.
///
/// Correlated delays follow a Gaussian process with correlation 2^(-dt / half_life) between frames dt apart in time (an
/// exponential average of normal draws with that half-life, as in DPDS, arXiv 2606.17716), mapped through the
/// distribution's quantiles: every frame's delay on its own has exactly the distribution. It has no key of its own: it
/// comes with the constant part of `delay`.
struct Jitter {
  using State = JitterState;

  DelayDistribution distribution;
  JitterMode mode = JitterMode::kFifo;
  Nanoseconds half_life{0};  // with kCorrelated: above 0

  [[nodiscard]] static bool timed_by_host() { return true; }
  void retime(const ImpairedFrame& frame, State& state, FrameRandom& random, ImpairedTiming& timing) const;
};

/// The delay of a frame that arrived at `arrived`. Uses one draw.
Nanoseconds draw_delay(const Jitter& jitter, HostTime arrived, JitterState& state, FrameRandom& random);

}  // namespace hilgate
