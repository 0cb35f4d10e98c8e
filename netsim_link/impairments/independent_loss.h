// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rf_profiles/numeric/random.h"

namespace hilgate {

/// Every frame is lost with the same probability, whatever became of the others. Does nothing at 0.
struct IndependentLoss {
  double probability = 0;  // [0, 1]
  [[nodiscard]] bool lost(FrameRandom& random) const { return probability > 0 && random.uniform() <= probability; }
};

}  // namespace hilgate
