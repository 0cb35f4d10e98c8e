// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "netsim_link/impairments/impaired_frame.h"
#include "rf_profiles/numeric/random.h"

namespace hilgate {

class YamlReader;

/// Losses and receptions in runs: S. Salsano, F. Ludovici, A. Ordine, D. Giannuzzi, "Definition of a general and
/// intuitive loss model for packet networks and its implementation in the Netem module in the Linux kernel" (2012).
/// State 1 receives in a gap, 2 receives within a burst, 3 loses within a burst, 4 is a single loss within a gap and
/// always returns to 1. The state moves, then says what becomes of the frame. Does nothing when p13 and p14 are 0.
struct FourStateLoss {
  static constexpr std::string_view kName = "four_state";

  double p13 = 0;  // a burst begins, [0, 1]
  double p31 = 1;  // a burst ends with a loss
  double p32 = 0;  // within a burst, from losing to receiving; p31 + p32 <= 1
  double p23 = 1;  // and back
  double p14 = 0;  // a single loss; p13 + p14 <= 1

  struct State {
    std::uint8_t in = 1;
  };
  void read(YamlReader& loss);
  [[nodiscard]] bool lost(const ImpairedFrame& /*frame*/, State& state, FrameRandom& random) const {
    const double move = random.uniform();
    switch (state.in) {
      case 1:
        state.in = move <= p13 ? 3 : (move <= p13 + p14 ? 4 : 1);
        break;
      case 2:
        state.in = move <= p23 ? 3 : 2;
        break;
      case 3:
        state.in = move <= p31 ? 1 : (move <= p31 + p32 ? 2 : 3);
        break;
      default:
        state.in = 1;
    }
    return state.in >= 3;
  }
};

}  // namespace hilgate
