// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "netsim_link/impairments/impaired_frame.h"
#include "rf_profiles/numeric/random.h"

namespace hilgate {

class YamlReader;

/// Every frame is lost with the same probability, whatever became of the others. Does nothing at 0.
struct IndependentLoss {
  static constexpr std::string_view kName = "independent";

  double probability = 0;  // [0, 1]

  struct State {};
  void read(YamlReader& loss);
  [[nodiscard]] bool lost(const ImpairedFrame& /*frame*/, State& /*state*/, FrameRandom& random) const {
    return probability > 0 && random.uniform() <= probability;
  }
};

}  // namespace hilgate
