// SPDX-License-Identifier: Apache-2.0
// Fate: what happens to one frame on one link. Drawn once, at capture, from the link's state of that instant; a new
// state of the air does not change it any more.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "clock/time.h"
#include "frame/drop_reason.h"
#include "gateway/fate/damage.h"
#include "gateway/fate/link_now.h"
#include "netsim_link/air_plan.h"
#include "netsim_link/link_state.h"

namespace hilgate {

/// What a fate is drawn from, beside the link itself.
struct FateInputs {
  const LinkState& state;
  const LinkRules& rules;
  const PhyMode& mode;                // of the transmission: unicast or multicast
  std::span<const std::byte> head;    // first segment of the frame
  std::uint32_t length;               // bytes of the frame
  bool group;                         // multicast or broadcast: one try, basic rate
  HostTime arrived{};                 // impairments that run in time: when the frame was captured,
  Nanoseconds since_start{0};         // and how long after the start of the run
  ImpairmentState* memory = nullptr;  // of the link; must be there when the rules have impairments
  std::uint32_t payload = 0;          // offset of the bytes behind the MAC header
};

struct Fate {
  std::optional<DropReason> lost;    // empty: it arrives
  std::uint32_t failing_tries = 0;   // transmissions lost before the last; all of them when lost on the air
  std::uint32_t fragments_sent = 0;  // of a packet whose fragments are repeated one by one: all their transmissions
  Nanoseconds delay{0};              // on top of medium, air time and queue
  bool loose = false;                // may overtake the frames in front of it
  std::optional<Nanoseconds> copy;   // delivered a second time, so much after the first
  bool marked = false;               // mark_only found errors
  std::uint32_t errors = 0;          // bits to flip at release, as told by damage_note()
  ErrorMeter before;                 // the meter and the frame's draws in front of its bits
  FrameRandom random{0, 0, 0};
};

/// Transmissions a frame may have: repeats need an acknowledgement, which group addresses do not get.
inline std::uint32_t tries_of(const LinkRules& rules, bool group) {
  return rules.policy == ErrorPolicy::kArq && !group ? rules.tries : 1;
}

/// Whether the next frame on the link arrives with no draw and no damage. Then that was its fate: it has been counted
/// and its bits used up. This is all that a clean frame costs. `payload`: offset of the bytes behind the MAC header.
inline bool arrives_clean(LinkNow& link, const PhyMode& mode, std::uint32_t length, std::uint32_t payload, bool group) {
  if (link.draws_always || length - payload > link.mtu_bytes) {
    return false;
  }
  const double hazard = link.hazard(group);
  if (hazard > 0) {
    const std::uint32_t safe = link.protects_headers ? payload : 0;
    const std::uint64_t bits = link.corrupts ? 8ULL * (length - safe) : mode.air_bits(length);
    if (bits > 0 && !link.meter.clean(bits, BitHazard{hazard})) {
      return false;
    }
  }
  ++link.frames;
  return true;
}

/// Draws the fate of the next frame, in full. Pure but for `now`.
Fate draw_fate(std::uint64_t seed, LinkId link, const FateInputs& inputs, LinkNow& now);

/// How to walk the errors of the frame whose fate was drawn last on this link.
DamageNote damage_note(const FateInputs& inputs, const LinkNow& now, const Fate& fate);

}  // namespace hilgate
