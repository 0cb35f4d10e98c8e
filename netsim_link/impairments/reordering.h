// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "clock/time.h"
#include "rf_profiles/numeric/random.h"

namespace hilgate {

/// Holds single frames back, so that those behind overtake them (the hold-back of hardware emulators; VPP's nsim does
/// the same with a second wheel). Frames that are not chosen keep their order. Does nothing at probability 0 or time 0.
struct Reordering {
  double probability = 0;  // [0, 1]
  Nanoseconds by{0};       // how much later a chosen frame leaves
  [[nodiscard]] bool chosen(FrameRandom& random) const {
    return probability > 0 && by.count() > 0 && random.uniform() <= probability;
  }
};

}  // namespace hilgate
