// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "clock/time.h"
#include "netsim_link/impairments/impaired_frame.h"
#include "rf_profiles/numeric/random.h"

namespace hilgate {

class YamlReader;

/// Holds single frames back, so that those behind overtake them (the hold-back of hardware emulators; VPP's nsim does
/// the same with a second wheel). Frames that are not chosen keep their order. Does nothing at probability 0 or time 0.
struct Reordering {
  static constexpr std::string_view kKey = "reorder";
  struct State {};

  double probability = 0;  // [0, 1]
  Nanoseconds by{0};       // how much later a chosen frame leaves

  static std::optional<Reordering> read(YamlReader& link);
  [[nodiscard]] static bool timed_by_host() { return true; }
  void retime(const ImpairedFrame& /*frame*/, State& /*state*/, FrameRandom& random, ImpairedTiming& timing) const {
    if (probability > 0 && by.count() > 0 && random.uniform() <= probability) {
      timing.delay += by;
      timing.loose = true;
    }
  }
};

}  // namespace hilgate
