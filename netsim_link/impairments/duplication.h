// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "clock/time.h"
#include "netsim_link/impairments/impaired_frame.h"
#include "rf_profiles/numeric/random.h"

namespace hilgate {

class YamlReader;

/// Delivers single frames twice, as a lost acknowledgement makes a radio do. Both have the same bits, damage included;
/// the second follows `after` the first. A frame that is lost is not doubled. Does nothing at probability 0.
struct Duplication {
  static constexpr std::string_view kKey = "duplicate";
  struct State {};

  double probability = 0;  // [0, 1]
  Nanoseconds after{0};

  static std::optional<Duplication> read(YamlReader& link);
  [[nodiscard]] bool timed_by_host() const { return after > Nanoseconds{0}; }
  void retime(const ImpairedFrame& /*frame*/, State& /*state*/, FrameRandom& random, ImpairedTiming& timing) const {
    if (probability > 0 && random.uniform() <= probability) {
      timing.copy = after;
    }
  }
};

}  // namespace hilgate
