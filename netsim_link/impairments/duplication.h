// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "clock/time.h"
#include "rf_profiles/numeric/random.h"

namespace hilgate {

/// Delivers single frames twice, as a lost acknowledgement makes a radio do. Both have the same bits, damage included;
/// the second follows `after` the first. A frame that is lost is not doubled. Does nothing at probability 0.
struct Duplication {
  double probability = 0;  // [0, 1]
  Nanoseconds after{0};
  [[nodiscard]] bool chosen(FrameRandom& random) const { return probability > 0 && random.uniform() <= probability; }
};

}  // namespace hilgate
