// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "rf_profiles/fading/power_map.h"

namespace hilgate {

/// What a law of fading is made of: a steady wave and diffuse ones, of power 1 together, and a change of the power that
/// comes of them.
struct FadingWaves {
  double steady = 0;                         // power of the steady wave, which interferes with the first tap
  std::vector<double> taps = {1};            // powers of the diffuse taps; at least one
  std::shared_ptr<const PowerMap> map = {};  // null: none
};

}  // namespace hilgate
