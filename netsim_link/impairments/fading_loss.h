// SPDX-License-Identifier: Apache-2.0
// Loss in the fades of a moving radio: a Gilbert-Elliott channel that runs in time, not from frame to frame, so that a
// frame repeated a millisecond later meets the same fade (peers, 5.5).
#pragma once

#include <string_view>

#include "config/units.h"
#include "netsim_link/impairments/impaired_frame.h"
#include "netsim_link/impairments/timed_states.h"
#include "rf_profiles/numeric/random.h"

namespace hilgate {

class YamlReader;

/// Good and bad take turns for exponentially distributed times. Does nothing when the mean time in a fade is 0.
struct FadingLoss {
  static constexpr std::string_view kName = "fading";
  struct State : TimedStates::State {};

  TimedStates fades;    // bad: in a fade
  double bad_loss = 1;  // of a frame that arrives in a fade, [0, 1]

  /// Of Rayleigh fading at a speed: fades below a threshold relative to the rms level, from the level crossing rate and
  /// the mean fade duration (H. S. Wang, N. Moayeri, "Finite-state Markov channel", IEEE Trans. VT 44 (1995); as given
  /// in peers, 5.5). `doppler` = v f / c, above 0; `threshold` usually below 0.
  static FadingLoss rayleigh(Hertz doppler, Decibels threshold, double bad_loss = 1);

  void read(YamlReader& loss);
  [[nodiscard]] bool lost(const ImpairedFrame& frame, State& state, FrameRandom& random) const {
    return fades.bad_at(frame, state) && bad_loss > 0 && random.uniform() <= bad_loss;
  }
};

}  // namespace hilgate
