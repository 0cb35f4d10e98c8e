// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/impairments/flow_rules.h"

#include <cstddef>

namespace hilgate {
namespace {

// visit(model, state) for every row of the table: the rule's model where it has one, else the link's.
template <class Visit>
void for_each_met(const Impairments& impairments, const MetRule& met, ImpairmentState& state, Visit visit) {
  for_each_impairment(
      [&visit](const auto& model, const auto& changed, auto& memory, auto& memory_of_changed) {
        changed ? visit(changed, memory_of_changed) : visit(model, memory);
      },
      impairments, met.rule->changes, state, met.memory->state);
}

}  // namespace

MetRule met_rule(const Impairments& impairments, std::span<const std::byte> head, std::uint32_t length,
                 std::span<FlowMemory> memories) {
  if (impairments.flows == nullptr) {
    return {};
  }
  const std::vector<FlowRule>& rules = impairments.flows->rules;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (rules[i].filter.matches(head, length)) {
      rules[i].matched->fetch_add(1, std::memory_order_relaxed);
      return {&rules[i], &memories[i]};
    }
  }
  return {};
}

std::optional<DropReason> draw_loss(const Impairments& impairments, const MetRule& met, const ImpairedFrame& frame,
                                    ImpairmentState& state, FrameRandom& random) {
  if (met.rule == nullptr) {
    return draw_loss(impairments, frame, state, random);
  }
  std::optional<DropReason> lost;
  for_each_met(impairments, met, state, [&](const auto& model, auto& memory) {
    if constexpr (requires { model->lose(frame, memory, random); }) {
      if (!lost && model) {
        lost = model->lose(frame, memory, random);
      }
    }
  });
  return lost;
}

ImpairedTiming draw_timing(const Impairments& impairments, const MetRule& met, const ImpairedFrame& frame,
                           ImpairmentState& state, FrameRandom& random) {
  if (met.rule == nullptr) {
    return draw_timing(impairments, frame, state, random);
  }
  ImpairedTiming timing;
  for_each_met(impairments, met, state, [&](const auto& model, auto& memory) {
    if constexpr (requires { model->retime(frame, memory, random, timing); }) {
      if (model) {
        model->retime(frame, memory, random, timing);
      }
    }
  });
  return timing;
}

}  // namespace hilgate
