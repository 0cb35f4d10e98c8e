// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "netsim_link/impairments/impaired_frame.h"
#include "rf_profiles/numeric/random.h"

namespace hilgate {

class YamlReader;

/// Bursts of lost frames: in front of every frame outside one, a burst begins with `probability`, and takes `least` to
/// `most` frames, every length equally likely. Origin: the burst drop of hardware emulators (Chimera, Apposite; peers,
/// notes). The share lost is p L / (1 - p + p L) for the mean length L. Does nothing at probability 0.
struct BurstLoss {
  static constexpr std::string_view kName = "burst";

  double probability = 0;   // [0, 1]
  std::uint32_t least = 1;  // frames, at least 1
  std::uint32_t most = 1;   // not below `least`

  struct State {
    std::uint32_t left = 0;  // of the burst, frames
  };
  void read(YamlReader& loss);
  [[nodiscard]] bool lost(const ImpairedFrame& /*frame*/, State& state, FrameRandom& random) const {
    if (state.left == 0) {
      if (probability <= 0 || random.uniform() > probability) {
        return false;
      }
      state.left = least + static_cast<std::uint32_t>(random.below(most - least + 1ULL));
    }
    --state.left;
    return true;
  }
};

}  // namespace hilgate
