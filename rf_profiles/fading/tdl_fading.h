// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "rf_profiles/fading/fading_waves.h"

namespace hilgate {

class YamlReader;

/// The wide-band power of a tapped delay line's taps (rf_profiles/fading/tdl_profile.h).
struct TdlFading {
  static constexpr std::string_view kName = "tdl";

  std::string line = "TDL-A";

  void read(YamlReader& law);
  /// Throws std::runtime_error for an unknown delay line.
  [[nodiscard]] FadingWaves waves() const;
};

}  // namespace hilgate
