// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>
#include <variant>

#include "netsim_link/impairments/burst_loss.h"
#include "netsim_link/impairments/fading_loss.h"
#include "netsim_link/impairments/four_state_loss.h"
#include "netsim_link/impairments/gilbert_elliott_loss.h"
#include "netsim_link/impairments/independent_loss.h"

namespace hilgate {

using LossModel = std::variant<IndependentLoss, BurstLoss, GilbertElliottLoss, FourStateLoss, FadingLoss>;

/// What a link remembers of its loss process: of the one model it has.
struct LossState {
  BurstLoss::State burst;
  GilbertElliottLoss::State gilbert_elliott;
  FourStateLoss::State four_state;
  FadingLoss::State fading;
};

/// Whether the model loses a frame that arrived at `arrived` on a link.
inline bool draw_loss(const LossModel& model, HostTime arrived, std::uint64_t seed, std::uint32_t link,
                      LossState& state, FrameRandom& random) {
  return std::visit(
      [&](const auto& loss) {
        using Model = std::remove_cvref_t<decltype(loss)>;
        if constexpr (std::is_same_v<Model, IndependentLoss>) {
          return loss.lost(random);
        } else if constexpr (std::is_same_v<Model, BurstLoss>) {
          return loss.lost(state.burst, random);
        } else if constexpr (std::is_same_v<Model, GilbertElliottLoss>) {
          return loss.lost(state.gilbert_elliott, random);
        } else if constexpr (std::is_same_v<Model, FourStateLoss>) {
          return loss.lost(state.four_state, random);
        } else {
          return loss.lost(state.fading, arrived, seed, link, random);
        }
      },
      model);
}

}  // namespace hilgate
