// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "rf_profiles/fading/fading_waves.h"

namespace hilgate {

struct NoFading {
  static constexpr std::string_view kName = "none";

  [[nodiscard]] FadingWaves waves() const { return {.steady = 1, .taps = {0}}; }
};

}  // namespace hilgate
