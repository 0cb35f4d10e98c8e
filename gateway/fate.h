// SPDX-License-Identifier: Apache-2.0
// Fate: what happens to one frame on one link. Drawn once, at capture, from the link's state of that instant; a new
// state of the air does not change it any more.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "clock/time.h"
#include "gateway/damage.h"
#include "gateway/drop_reason.h"
#include "gateway/error_meter.h"
#include "netsim_link/air_plan.h"
#include "netsim_link/link_state.h"

namespace hilgate {

/// A link's memory between frames.
struct LinkMemory {
  ErrorMeter meter;
  std::uint64_t frames = 0;  // fates drawn so far: the frame's number on this link
};

/// What fates are drawn from.
struct FateInputs {
  const LinkState* state;
  const LinkRules* rules;
  const PhyMode* mode;              // of the transmission: unicast or multicast
  std::span<const std::byte> head;  // first segment of the frame
  std::uint32_t length;             // bytes of the frame
  bool group;                       // multicast or broadcast: one try, basic rate
};

struct Fate {
  std::optional<DropReason> lost;   // empty: it arrives
  std::uint32_t failing_tries = 0;  // transmissions lost before the last; all of them when lost
  Nanoseconds delay{0};             // on top of medium and air time
  bool marked = false;              // mark_only found errors
  std::uint32_t errors = 0;         // bits to flip at release
  DamageNote damage;                // valid when errors > 0
};

/// Transmissions a frame may have: repeats need an acknowledgement, which group addresses do not get.
inline std::uint32_t tries_of(const LinkRules& rules, bool group) {
  return rules.policy == ErrorPolicy::kArq && !group ? rules.tries : 1;
}

/// Draws the fate of the next frame on `link`. Pure but for `memory`.
Fate draw_fate(std::uint64_t seed, LinkId link, const FateInputs& inputs, LinkMemory& memory);

}  // namespace hilgate
