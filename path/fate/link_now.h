// SPDX-License-Identifier: Apache-2.0
// A link as the packet loop sees it: its state and rules folded into what a frame needs, in one cache line.
#pragma once

#include <cstdint>

#include "clock/time.h"
#include "netsim_link/air_plan.h"
#include "netsim_link/link_state.h"
#include "path/fate/error_meter.h"
#include "rf_profiles/numeric/random.h"

namespace hilgate {

struct alignas(64) LinkNow {
  ErrorMeter meter;           // the link's error process; outlives windows
  std::uint64_t frames = 0;   // fates drawn so far: the frame's number on this link
  std::uint64_t table = 0;    // version of the link table folded in; 0: not yet
  double unicast_hazard = 0;  // per bit: the radio's and the configured one
  double multicast_hazard = 0;
  Nanoseconds delay{0};  // without medium and air time
  std::uint8_t unicast_mode = 0;
  std::uint8_t multicast_mode = 0;
  std::uint16_t mtu_bytes = 0xFFFF;  // longest packet after the MAC header; longer ones are drawn in full
  bool draws_always = false;         // unreachable, or a model that draws for every frame
  bool corrupts = false;             // errors hit the frame's payload, not the radio frame
  bool protects_headers = true;

  [[nodiscard]] double hazard(bool group) const { return group ? multicast_hazard : unicast_hazard; }
  [[nodiscard]] std::uint8_t mode(bool group) const { return group ? multicast_mode : unicast_mode; }

  /// Takes in a new state of the air. Meter and frame number continue.
  void fold(const LinkState& state, const LinkRules& rules, std::uint64_t version) {
    table = version;
    unicast_hazard = state.unicast.per_bit + rules.extra_hazard.per_bit;
    multicast_hazard = state.multicast.per_bit + rules.extra_hazard.per_bit;
    delay = state.delay + rules.extra_delay;
    unicast_mode = state.unicast_mode;
    multicast_mode = state.multicast_mode;
    draws_always = !state.reachable || rules.impairments != nullptr;
    mtu_bytes = static_cast<std::uint16_t>(rules.mtu_bytes > 0 && rules.mtu_bytes < 0xFFFF ? rules.mtu_bytes : 0xFFFF);
    protects_headers = rules.protect_headers;
    corrupts = rules.policy == ErrorPolicy::kCorruptRaw || rules.policy == ErrorPolicy::kCorruptFixsum;
  }
};
static_assert(sizeof(LinkNow) == 64);

/// Draws of a link's frame. Frame numbers count from 0; the link's first hazard is drawn as if by the frame before.
inline FrameRandom link_random(std::uint64_t seed, LinkSlot link, std::uint64_t frame) {
  return {seed, link.value(), frame};
}
inline ErrorMeter first_meter(std::uint64_t seed, LinkSlot link) {
  return ErrorMeter(link_random(seed, link, ~std::uint64_t{0}));
}

}  // namespace hilgate
