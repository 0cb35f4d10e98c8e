// SPDX-License-Identifier: Apache-2.0
#include "gateway/fate.h"

namespace hilgate {
namespace {

bool delivers_damaged(ErrorPolicy policy) {
  return policy == ErrorPolicy::kCorruptRaw || policy == ErrorPolicy::kCorruptFixsum;
}

// The radio's check sequence finds any error; the sender repeats as long as it may.
void try_until_clean(const FateInputs& in, BitHazard hazard, FrameRandom& random, LinkMemory& memory, Fate& fate) {
  const std::uint64_t bits = in.mode->air_bits(in.length);
  const std::uint32_t tries = tries_of(*in.rules, in.group);
  while (fate.failing_tries < tries) {
    if (memory.meter.clean(bits, hazard)) {
      return;
    }
    memory.meter.restart(random);
    ++fate.failing_tries;
  }
  fate.lost = tries > 1 ? DropReason::kRetriesSpent : DropReason::kLostOnAir;
}

void draw_damage(const FateInputs& in, BitHazard hazard, const FrameRandom& random, LinkMemory& memory, Fate& fate) {
  const ExposedBytes exposed = exposed_bytes(in.head, in.length, in.rules->policy);
  if (exposed.bits() == 0) {
    return;
  }
  const ErrorMeter before = memory.meter;
  const DamageScan scan = scan_errors(memory.meter, hazard, exposed, random);
  if (scan.header_hit) {
    fate.lost = DropReason::kHeaderHit;
  } else if (scan.errors > 0) {
    fate.errors = scan.errors;
    fate.damage = {before, hazard, random, exposed, in.rules->policy == ErrorPolicy::kCorruptFixsum};
  }
}

void mark_errors(const FateInputs& in, BitHazard hazard, FrameRandom& random, LinkMemory& memory, Fate& fate) {
  if (!memory.meter.clean(in.mode->air_bits(in.length), hazard)) {
    memory.meter.restart(random);
    fate.marked = true;
  }
}

}  // namespace

Fate draw_fate(std::uint64_t seed, LinkId link, const FateInputs& in, LinkMemory& memory) {
  FrameRandom random(seed, link.value(), memory.frames);
  if (memory.frames++ == 0) {
    memory.meter = ErrorMeter(random);
    random.next64();  // the meter's first hazard
  }
  Fate fate;
  if (!in.state->reachable) {
    fate.lost = DropReason::kUnreachable;
    fate.failing_tries = tries_of(*in.rules, in.group);
    return fate;
  }
  if (in.rules->loss > 0 && random.uniform() <= in.rules->loss) {
    fate.lost = DropReason::kConfiguredLoss;
    return fate;
  }
  const BitHazard radio = in.group ? in.state->multicast : in.state->unicast;
  const BitHazard hazard{radio.per_bit + in.rules->extra_hazard.per_bit};
  if (hazard.per_bit > 0) {
    if (delivers_damaged(in.rules->policy)) {
      draw_damage(in, hazard, random, memory, fate);
    } else if (in.rules->policy == ErrorPolicy::kMarkOnly) {
      mark_errors(in, hazard, random, memory, fate);
    } else {
      try_until_clean(in, hazard, random, memory, fate);
    }
  }
  fate.delay = in.state->delay + in.rules->extra_delay + in.rules->retry_delay * fate.failing_tries;
  return fate;
}

}  // namespace hilgate
