// SPDX-License-Identifier: Apache-2.0
// Tapped delay lines of 3GPP TR 38.901, 7.7.2: TDL-A to TDL-E.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "config/units.h"

namespace hilgate {

struct Tap {
  double delay = 0;  // in units of the wanted rms delay spread
  Decibels power{};
};

struct TdlProfile {
  std::string_view name;
  std::span<const Tap> taps;
  /// The first tap is the line of sight, of constant amplitude, and the second its Rayleigh part.
  bool line_of_sight = false;

  /// Linear powers, sum 1.
  [[nodiscard]] std::vector<double> powers() const;
  [[nodiscard]] double mean_delay() const;
  [[nodiscard]] double rms_delay_spread() const;
  /// Power of the line of sight over that of its Rayleigh part. Requires line_of_sight.
  [[nodiscard]] Decibels first_k() const;
};

/// "TDL-A" to "TDL-E". Throws std::runtime_error for another name.
const TdlProfile& tdl_profile(std::string_view name);
std::span<const TdlProfile> tdl_profiles();

}  // namespace hilgate
