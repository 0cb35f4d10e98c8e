// SPDX-License-Identifier: Apache-2.0
// Fate: what happens to one frame on one link. Drawn once, at capture, from the link's state of that instant; a new
// state of the air does not change it any more.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "clock/time.h"
#include "frame/drop_reason.h"
#include "netsim_link/air_plan.h"
#include "netsim_link/impairments/flow_rules.h"
#include "netsim_link/link_state.h"
#include "path/fate/damage.h"
#include "path/fate/error_meter.h"
#include "rf_profiles/numeric/random.h"

namespace hilgate {

// A link as the packet loop sees it: its state and rules folded into what a frame needs, in one cache line.

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

/// Inputs of a fate, in addition to the link itself.
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
  std::uint32_t payload = 0;          // offset of the bytes after the MAC header
  std::span<FlowMemory> flows{};      // of the link: one for each of its FlowRules
};

struct Fate {
  std::optional<DropReason> lost;    // empty: it arrives
  std::uint32_t failing_tries = 0;   // transmissions lost before the last; all of them when lost on the air
  std::uint32_t fragments_sent = 0;  // of a packet whose fragments are repeated one by one: all their transmissions
  Nanoseconds delay{0};              // on top of medium, air time and queue
  bool loose = false;                // may overtake the frames in front of it
  std::optional<Nanoseconds> copy;   // delivered a second time, so much after the first
  bool marked = false;               // mark_only found errors
  std::uint32_t errors = 0;          // bits to flip at release,
  DamageNote damage{};               // which these are; without errors it means nothing
};

/// Transmissions a frame may have: repeats need an acknowledgement, which group addresses do not get.
inline std::uint32_t tries_of(const LinkRules& rules, bool group) {
  return rules.policy == ErrorPolicy::kArq && !group ? rules.tries : 1;
}

/// Frames of one link, one after the other, as long as they arrive with no draw and no damage. This is all that a clean
/// frame costs, and what they have in common is looked up once. Nothing else is drawn on the link while it is there.
class CleanFrames {
 public:
  /// `payload`: offset of the bytes after the MAC header. The references must outlive it.
  CleanFrames(LinkNow& link, const PhyMode& mode, std::uint32_t payload, bool group)
      : link_(link), mode_(mode), payload_(payload), hazard_{link.hazard(group)}, meter_(link.meter) {}
  ~CleanFrames() {
    link_.meter = meter_;
    link_.frames += clean_;
  }
  CleanFrames(const CleanFrames&) = delete;
  CleanFrames& operator=(const CleanFrames&) = delete;

  /// Whether the next frame arrives clean. Then that was its fate: it has been counted and its bits used up.
  bool take(std::uint32_t length) {
    if (length != length_) {
      look_at(length);
    }
    if (!may_be_clean_ || (bits_ > 0 && !meter_.clean(bits_, hazard_))) {
      return false;
    }
    ++clean_;
    return true;
  }

 private:
  // What is the same for all frames of a length. Without a hazard no bit counts.
  void look_at(std::uint32_t length) {
    length_ = length;
    may_be_clean_ = !link_.draws_always && length - payload_ <= link_.mtu_bytes;
    bits_ = hazard_.per_bit <= 0 ? 0 : mode_.error_bits(length);
    if (bits_ > 0 && link_.corrupts && !link_.protects_headers) {  // the share of the frame's own bytes
      bits_ = std::max<std::uint64_t>(
          1, bits_ * 8 * length / std::max<std::uint64_t>(mode_.air_bits(length), 8ULL * length));
    }
  }

  LinkNow& link_;
  const PhyMode& mode_;
  const std::uint32_t payload_;
  const BitHazard hazard_;
  ErrorMeter meter_;
  std::uint64_t clean_ = 0;
  std::uint32_t length_ = 0;  // that was looked at last; none has no bytes
  bool may_be_clean_ = false;
  std::uint64_t bits_ = 0;
};

/// The same of one frame alone.
inline bool arrives_clean(LinkNow& link, const PhyMode& mode, std::uint32_t length, std::uint32_t payload, bool group) {
  return CleanFrames(link, mode, payload, group).take(length);
}

/// Draws the fate of the next frame, in full. Pure but for `now`.
Fate draw_fate(std::uint64_t seed, LinkSlot link, const FateInputs& inputs, LinkNow& now);

}  // namespace hilgate
