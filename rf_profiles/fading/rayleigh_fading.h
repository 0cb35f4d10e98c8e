// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "rf_profiles/fading/fading_waves.h"

namespace hilgate {

/// Diffuse waves alone.
struct RayleighFading {
  static constexpr std::string_view kName = "rayleigh";

  [[nodiscard]] FadingWaves waves() const { return {}; }
};

}  // namespace hilgate
