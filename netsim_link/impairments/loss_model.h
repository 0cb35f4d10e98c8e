// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <tuple>
#include <variant>

#include "frame/drop_reason.h"
#include "netsim_link/impairments/burst_loss.h"
#include "netsim_link/impairments/fading_loss.h"
#include "netsim_link/impairments/four_state_loss.h"
#include "netsim_link/impairments/gilbert_elliott_loss.h"
#include "netsim_link/impairments/gilbert_elliott_time_loss.h"
#include "netsim_link/impairments/impaired_frame.h"
#include "netsim_link/impairments/independent_loss.h"

namespace hilgate {

/// The table of loss models; the first is what a plain `loss: 1 %` means. A model is a struct in a file of its own with
///   static constexpr std::string_view kName                           its name in `loss.model`
///   void read(YamlReader&)                                            its keys beside `model`
///   struct State                                                      what a link remembers of it
///   bool lost(const ImpairedFrame&, State&, FrameRandom&) const
using LossTable = std::variant<  //
    IndependentLoss,             //
    BurstLoss,                   //
    GilbertElliottLoss,          //
    GilbertElliottTimeLoss,      //
    FourStateLoss,               //
    FadingLoss>;

/// What a link remembers of its loss process: of the one model it has.
template <class Table>
struct LossStateOf;
template <class... Models>
struct LossStateOf<std::variant<Models...>> {
  std::tuple<typename Models::State...> states;
};
using LossState = LossStateOf<LossTable>;

/// Loses frames by one of the table's models.
struct LossModel : LossTable {
  static constexpr std::string_view kKey = "loss";
  using State = LossState;
  using LossTable::LossTable;

  static std::optional<LossModel> read(YamlReader& link);
  /// Fades and timed states go by time, other losses by frames.
  [[nodiscard]] bool timed_by_host() const {
    return std::holds_alternative<FadingLoss>(table()) || std::holds_alternative<GilbertElliottTimeLoss>(table());
  }
  /// A loss of 0 %: a link whose only impairment it is is as fast as one without.
  [[nodiscard]] bool idle() const;
  [[nodiscard]] std::optional<DropReason> lose(const ImpairedFrame& frame, State& state, FrameRandom& random) const {
    return draws_loss(frame, state, random) ? std::make_optional(DropReason::kConfiguredLoss) : std::nullopt;
  }
  /// Whether the model loses the frame.
  [[nodiscard]] bool draws_loss(const ImpairedFrame& frame, State& state, FrameRandom& random) const {
    return std::visit(
        [&]<class Model>(const Model& model) {
          return model.lost(frame, std::get<typename Model::State>(state.states), random);
        },
        table());
  }

 private:
  [[nodiscard]] const LossTable& table() const { return *this; }
};

}  // namespace hilgate
