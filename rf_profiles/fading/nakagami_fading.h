// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "rf_profiles/fading/fading_waves.h"

namespace hilgate {

class YamlReader;

/// The power has a Gamma distribution.
struct NakagamiFading {
  static constexpr std::string_view kName = "nakagami";

  double m = 1;  // shape, >= 0.5; 1 is Rayleigh

  void read(YamlReader& law);
  [[nodiscard]] FadingWaves waves() const;
};

}  // namespace hilgate
