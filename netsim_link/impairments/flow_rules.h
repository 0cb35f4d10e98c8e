// SPDX-License-Identifier: Apache-2.0
// Impairments of a link for some of its frames. The first rule whose filter a frame matches decides; what the rule has
// takes the place of the link's own, what it does not have stays the link's.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "clock/time.h"
#include "netsim_link/impairments/flow_filter.h"
#include "netsim_link/impairments/impairments.h"

namespace hilgate {

/// Frames that a rule decided, of all its links. Written by packet loops, read by the control thread.
using FlowCounter = std::atomic<std::uint64_t>;

struct FlowRule {
  FlowFilter filter;
  Impairments changes{};               // without rules of its own, and without a rate: the queue is the link's
  std::optional<Nanoseconds> delay{};  // in place of LinkRules::extra_delay
  std::shared_ptr<FlowCounter> matched = std::make_shared<FlowCounter>(0);

  /// The rule's frames are an order of their own: they may overtake others of the link, and be overtaken.
  [[nodiscard]] bool has_own_order() const { return delay || changes.jitter; }
};

struct FlowRules {
  std::vector<FlowRule> rules;  // at least one; the first match wins
};

/// What one link remembers of one of its rules. Plain data.
struct FlowMemory {
  ImpairmentState state;
  HostTime latest_due{};  // with an order of its own: when the last frame that keeps it leaves
};

/// What a frame meets: the rule that it matches, and the link's memory of that; null without.
struct MetRule {
  const FlowRule* rule = nullptr;
  FlowMemory* memory = nullptr;
};

/// The first rule that the frame matches, which counts it. `memories` are of the link's rules, in their order.
MetRule met_rule(const Impairments& impairments, std::span<const std::byte> head, std::uint32_t length,
                 std::span<FlowMemory> memories);

/// As the functions of impairments.h, with a rule. Allocate nothing.
std::optional<DropReason> draw_loss(const Impairments& impairments, const MetRule& met, const ImpairedFrame& frame,
                                    ImpairmentState& state, FrameRandom& random);
ImpairedTiming draw_timing(const Impairments& impairments, const MetRule& met, const ImpairedFrame& frame,
                           ImpairmentState& state, FrameRandom& random);

}  // namespace hilgate
