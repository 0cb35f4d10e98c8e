// SPDX-License-Identifier: Apache-2.0
#include "gateway/fate.h"

namespace hilgate {
namespace {

// The radio's check sequence finds any error; the sender repeats as long as it may.
void try_until_clean(const FateInputs& in, BitHazard hazard, FrameRandom& random, LinkNow& now, Fate& fate) {
  const std::uint64_t bits = in.mode.air_bits(in.length);
  const std::uint32_t tries = tries_of(in.rules, in.group);
  while (fate.failing_tries < tries) {
    if (now.meter.clean(bits, hazard)) {
      return;
    }
    now.meter.restart(random);
    ++fate.failing_tries;
  }
  fate.lost = tries > 1 ? DropReason::kRetriesSpent : DropReason::kLostOnAir;
}

void draw_damage(const FateInputs& in, BitHazard hazard, const FrameRandom& random, LinkNow& now, Fate& fate) {
  const ExposedBytes exposed = exposed_bytes(in.head, in.length, in.rules.policy);
  if (exposed.bits() == 0) {
    return;
  }
  const DamageScan scan = scan_errors(now.meter, hazard, exposed, random);
  if (scan.header_hit) {
    fate.lost = DropReason::kHeaderHit;
  } else {
    fate.errors = scan.errors;
  }
}

void mark_errors(const FateInputs& in, BitHazard hazard, FrameRandom& random, LinkNow& now, Fate& fate) {
  if (!now.meter.clean(in.mode.air_bits(in.length), hazard)) {
    now.meter.restart(random);
    fate.marked = true;
  }
}

// Draws that come before the bits of a frame.
bool lost_by_configuration(const FateInputs& in, FrameRandom& random) {
  return in.rules.loss > 0 && random.uniform() <= in.rules.loss;
}

}  // namespace

Fate draw_fate(std::uint64_t seed, LinkId link, const FateInputs& in, LinkNow& now) {
  FrameRandom random = link_random(seed, link, now.frames++);
  Fate fate;
  fate.before = now.meter;
  if (!in.state.reachable) {
    fate.lost = DropReason::kUnreachable;
    fate.failing_tries = tries_of(in.rules, in.group);
    return fate;
  }
  if (lost_by_configuration(in, random)) {
    fate.lost = DropReason::kConfiguredLoss;
    return fate;
  }
  const BitHazard hazard{now.hazard(in.group)};
  if (hazard.per_bit > 0) {
    if (now.corrupts) {
      draw_damage(in, hazard, random, now, fate);
    } else if (in.rules.policy == ErrorPolicy::kMarkOnly) {
      mark_errors(in, hazard, random, now, fate);
    } else {
      try_until_clean(in, hazard, random, now, fate);
    }
  }
  fate.delay = now.delay + in.rules.retry_delay * fate.failing_tries;
  return fate;
}

DamageNote damage_note(std::uint64_t seed, LinkId link, const FateInputs& in, const LinkNow& now, const Fate& fate) {
  FrameRandom random = link_random(seed, link, now.frames - 1);
  if (in.rules.loss > 0) {
    random.next64();  // the draw of lost_by_configuration()
  }
  return {fate.before, BitHazard{now.hazard(in.group)}, random, exposed_bytes(in.head, in.length, in.rules.policy),
          in.rules.policy == ErrorPolicy::kCorruptFixsum};
}

}  // namespace hilgate
