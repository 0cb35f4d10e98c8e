// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "netsim_link/impairments/impaired_frame.h"
#include "rf_profiles/numeric/random.h"

namespace hilgate {

class YamlReader;

/// Two states that change from frame to frame, each with its own loss: E. N. Gilbert, "Capacity of a burst-noise
/// channel", BSTJ 39 (1960); E. O. Elliott, "Estimates of error rates for codes on burst-noise channels", BSTJ 42
/// (1963). The state moves first, then the frame is lost by the loss of where it is. The share of bad frames is p / (p
/// + r), bad runs have a mean of 1 / r frames. Does nothing when it never turns bad and good loses nothing.
struct GilbertElliottLoss {
  static constexpr std::string_view kName = "gilbert_elliott";

  double to_bad = 0;     // p, per frame, [0, 1]
  double to_good = 1;    // r, per frame, [0, 1]
  double good_loss = 0;  // 1 - k of netem's gemodel, [0, 1]
  double bad_loss = 1;   // 1 - h of netem's gemodel, [0, 1]

  struct State {
    bool bad = false;
  };
  void read(YamlReader& loss);
  [[nodiscard]] bool lost(const ImpairedFrame& /*frame*/, State& state, FrameRandom& random) const {
    const double move = random.uniform();
    state.bad = state.bad ? move > to_good : move <= to_bad;
    const double loss = state.bad ? bad_loss : good_loss;
    return loss > 0 && random.uniform() <= loss;
  }
};

}  // namespace hilgate
