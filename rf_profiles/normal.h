// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <numbers>

#include "rf_profiles/random.h"

namespace hilgate {

/// A standard normal draw, by G. E. P. Box and M. E. Muller, "A note on the generation of random normal deviates",
/// 1958. Uses two uniform draws.
inline double draw_normal(FrameRandom& random) {
  const double radius = std::sqrt(2 * random.exponential());
  return radius * std::cos(2 * std::numbers::pi * random.uniform());
}

}  // namespace hilgate
