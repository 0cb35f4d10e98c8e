// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "rf_profiles/fading/fading_waves.h"

namespace hilgate {

class YamlReader;

/// A steady wave among diffuse ones.
struct RiceFading {
  static constexpr std::string_view kName = "rice";

  double k = 0;  // power of the steady wave over the diffuse ones, linear

  void read(YamlReader& law);
  [[nodiscard]] FadingWaves waves() const { return {.steady = k / (1 + k), .taps = {1 / (1 + k)}}; }
};

}  // namespace hilgate
