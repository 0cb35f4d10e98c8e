// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/units.h"
#include "rf_profiles/fading/fading_waves.h"

namespace hilgate {

class YamlReader;

/// Taps at delays of their own, by rising delay.
struct TapDelays {
  std::vector<double> delay_s;
  std::vector<double> power;  // of sum 1
};

/// A measured power delay profile: a header `delay_ns,power_db`, then a row for each tap, 256 at most, by rising delay,
/// 0 to 100 000 ns; powers are relative. Throws std::runtime_error with FILE:LINE for rows that are not.
TapDelays read_tap_delays(const std::string& file);

/// Taps as measured, each of which fades by itself; the first may have a steady wave.
struct ImpulseResponseFading {
  static constexpr std::string_view kName = "impulse_response";

  TapDelays taps{{0}, {1}};
  std::optional<double> k;  // of the first tap: power of a steady wave over its diffuse ones, linear; absent: none

  void read(YamlReader& law);
  [[nodiscard]] FadingWaves waves() const;
};

}  // namespace hilgate
