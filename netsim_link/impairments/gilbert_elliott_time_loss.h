// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "netsim_link/impairments/impaired_frame.h"
#include "netsim_link/impairments/timed_states.h"
#include "rf_profiles/numeric/random.h"

namespace hilgate {

class YamlReader;

/// The channel of GilbertElliottLoss, whose states change in time and not from frame to frame. On a quiet link a burst
/// counted in frames lasts as long as its frames take to come, which is past TCP's patience: after each loss it waits
/// twice as long. Does nothing when it is never bad and good loses nothing.
struct GilbertElliottTimeLoss {
  static constexpr std::string_view kName = "gilbert_elliott_time";
  struct State : TimedStates::State {};

  TimedStates states;
  double good_loss = 0;  // [0, 1]
  double bad_loss = 1;   // [0, 1]

  void read(YamlReader& loss);
  [[nodiscard]] bool lost(const ImpairedFrame& frame, State& state, FrameRandom& random) const {
    const double loss = states.bad_at(frame, state) ? bad_loss : good_loss;
    return loss > 0 && random.uniform() <= loss;
  }
};

}  // namespace hilgate
