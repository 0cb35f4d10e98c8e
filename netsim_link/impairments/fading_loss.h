// SPDX-License-Identifier: Apache-2.0
// Loss in the fades of a moving radio: a Gilbert-Elliott channel that runs in time, not from frame to frame, so that a
// frame repeated a millisecond later meets the same fade (peers, 5.5).
#pragma once

#include <cstdint>
#include <string_view>

#include "clock/time.h"
#include "config/units.h"
#include "netsim_link/impairments/impaired_frame.h"
#include "rf_profiles/numeric/random.h"

namespace hilgate {

class YamlReader;

/// Good and bad take turns for exponentially distributed times. Does nothing when `bad` is 0.
struct FadingLoss {
  static constexpr std::string_view kName = "fading";

  Nanoseconds good{1};  // mean time between fades, above 0
  Nanoseconds bad{0};   // mean time in a fade
  double bad_loss = 1;  // of a frame that arrives in a fade, [0, 1]

  /// Of Rayleigh fading at a speed: fades below a threshold relative to the rms level, from the level crossing rate and
  /// the mean fade duration (H. S. Wang, N. Moayeri, "Finite-state Markov channel", IEEE Trans. VT 44 (1995); as given
  /// in peers, 5.5). `doppler` = v f / c, above 0; `threshold` usually below 0.
  static FadingLoss rayleigh(Hertz doppler, Decibels threshold, double bad_loss = 1);

  struct State {
    bool begun = false;
    bool bad = false;
    HostTime until{};          // of this state
    std::uint64_t dwells = 0;  // drawn so far
  };
  void read(YamlReader& loss);
  /// Times come from the link's own stream of dwells, so that they do not depend on the traffic.
  [[nodiscard]] bool lost(const ImpairedFrame& frame, State& state, FrameRandom& random) const;
};

}  // namespace hilgate
