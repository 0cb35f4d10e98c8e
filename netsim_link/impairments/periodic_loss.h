// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "frame/drop_reason.h"
#include "netsim_link/impairments/impaired_frame.h"
#include "rf_profiles/numeric/random.h"

namespace hilgate {

class YamlReader;

/// Every n-th frame of the link is lost, without chance: frames n, 2n, 3n, counted from the first that is not lost for
/// another reason before. For tests of protocols, which must find the same gaps in each run. At 1 it loses all frames.
struct PeriodicLoss {
  static constexpr std::string_view kKey = "every";
  struct State {
    std::uint32_t frames = 0;  // since the last one that was lost
  };

  std::uint32_t every = 1;  // frames, [1, 1000000]

  static std::optional<PeriodicLoss> read(YamlReader& link);
  [[nodiscard]] std::optional<DropReason> lose(const ImpairedFrame& /*frame*/, State& state,
                                               FrameRandom& /*random*/) const {
    if (++state.frames < every) {
      return std::nullopt;
    }
    state.frames = 0;
    return DropReason::kEveryNth;
  }
  [[nodiscard]] double mean_loss() const { return 1.0 / every; }
};

}  // namespace hilgate
