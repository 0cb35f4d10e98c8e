// SPDX-License-Identifier: Apache-2.0
#include "path/fate/fate.h"

#include <algorithm>

#include "frame/serial_frame.h"

namespace hilgate {
namespace {

// As below for every fragment of a packet, each with its share of the bits.
void try_fragments(const FateInputs& in, std::uint32_t fragments, BitHazard hazard, FrameRandom& random, LinkNow& now,
                   Fate& fate) {
  const std::uint64_t bits = (in.mode.error_bits(in.length) + fragments - 1) / fragments;
  for (std::uint32_t fragment = 0; fragment < fragments; ++fragment) {
    std::uint32_t tries = 1;
    for (; !now.meter.clean(bits, hazard); ++tries) {
      now.meter.restart(random);
      ++fate.failing_tries;
      if (tries == in.rules.tries) {
        fate.fragments_sent += tries;
        fate.lost = DropReason::kRetriesSpent;
        return;
      }
    }
    fate.fragments_sent += tries;
  }
}

// The radio's check sequence finds any error; the sender repeats as long as it may.
void try_until_clean(const FateInputs& in, BitHazard hazard, FrameRandom& random, LinkNow& now, Fate& fate) {
  const std::uint64_t bits = in.mode.error_bits(in.length);
  const std::uint32_t tries = tries_of(in.rules, in.group);
  if (const std::uint32_t fragments = in.mode.fragments(in.length); fragments > 1 && tries > 1) {
    return try_fragments(in, fragments, hazard, random, now, fate);
  }
  while (fate.failing_tries < tries) {
    if (now.meter.clean(bits, hazard)) {
      return;
    }
    now.meter.restart(random);
    if (in.rules.combines) {
      const std::size_t repeat = std::min<std::size_t>(fate.failing_tries, in.state.combined.size() - 1);
      hazard.per_bit = static_cast<double>(in.state.combined[repeat]) + in.rules.extra_hazard.per_bit;
    }
    ++fate.failing_tries;
  }
  fate.lost = tries > 1 ? DropReason::kRetriesSpent : DropReason::kLostOnAir;
}

ExposedBytes exposed(const FateInputs& in) {
  return in.rules.protect_headers ? exposed_bytes(in.head, in.length, in.rules.policy) : all_bytes(in.length);
}

// Bits that a frame has on the air, those of its own bytes at least. On a cable, a packet of a serial line has nothing
// around it: its header is the gateway's own.
std::uint64_t bits_on_air(const FateInputs& in, const ExposedBytes& bytes) {
  if (in.mode.overhead_bytes == 0 && is_line_packet(in.head)) {
    return bytes.bits();
  }
  return std::max(in.mode.air_bits(in.length), bytes.bits());
}

// Of each bit on the air: with all of them it makes the frame's error rate, in modes too whose errors are those of a
// frame of another length.
BitHazard hazard_on_air(const FateInputs& in, const ExposedBytes& bytes, BitHazard hazard) {
  const std::uint64_t on_air = bits_on_air(in, bytes);
  const std::uint64_t met = in.mode.error_bits(in.length);
  return met == on_air ? hazard : BitHazard{hazard.per_bit * static_cast<double>(met) / static_cast<double>(on_air)};
}

// Errors in what the radio has around the frame's bytes, its MAC header first of all, lose it; the others damage it.
// Where headers are not protected, nothing is lost.
void draw_damage(const FateInputs& in, BitHazard of_mode, FrameRandom& random, LinkNow& now, Fate& fate) {
  const ExposedBytes bytes = exposed(in);
  const BitHazard hazard = hazard_on_air(in, bytes, of_mode);
  const std::uint64_t around = in.rules.protect_headers ? bits_on_air(in, bytes) - bytes.bits() : 0;
  if (around > 0 && !now.meter.clean(around, hazard)) {
    now.meter.restart(random);
    fate.lost = DropReason::kHeaderHit;
    return;
  }
  if (bytes.bits() == 0) {
    return;
  }
  const ErrorMeter before = now.meter;
  const DamageScan scan = scan_errors(now.meter, hazard, bytes, random, in.rules.burst_continues);
  if (scan.header_hit) {
    fate.lost = DropReason::kHeaderHit;
  } else {
    fate.errors = scan.errors;
    fate.damage = {
        before, hazard, random, bytes, in.rules.policy == ErrorPolicy::kCorruptFixsum, in.rules.burst_continues};
  }
}

void mark_errors(const FateInputs& in, BitHazard hazard, FrameRandom& random, LinkNow& now, Fate& fate) {
  if (!now.meter.clean(in.mode.error_bits(in.length), hazard)) {
    now.meter.restart(random);
    fate.marked = true;
  }
}

void draw_errors(const FateInputs& in, FrameRandom& random, LinkNow& now, Fate& fate) {
  const BitHazard hazard{now.hazard(in.group)};
  if (hazard.per_bit == 0) {
    return;
  }
  if (now.corrupts) {
    draw_damage(in, hazard, random, now, fate);
  } else if (in.rules.policy == ErrorPolicy::kMarkOnly) {
    mark_errors(in, hazard, random, now, fate);
  } else if (!in.mode.shared) {  // else the radio frame that the message will be in decides for all in it
    try_until_clean(in, hazard, random, now, fate);
  }
}

// The frames of a rule with an order of its own pass the link's others and not one another.
void keep_order_of_rule(const MetRule& met, HostTime arrived, Fate& fate) {
  if (!fate.loose) {
    const HostTime due = std::max(arrived + fate.delay, met.memory->latest_due);
    met.memory->latest_due = due;
    fate.delay = due - arrived;
    fate.loose = true;
  }
}

// What comes on top of the delay, once the frame is known to arrive.
void add_timing(const FateInputs& in, const MetRule& met, const ImpairedFrame& frame, FrameRandom& random, Fate& fate) {
  const ImpairedTiming timing = draw_timing(*in.rules.impairments, met, frame, *in.memory, random);
  fate.delay += timing.delay;
  fate.loose = timing.loose;
  fate.copy = timing.copy;
  if (met.rule != nullptr && met.rule->has_own_order()) {
    fate.delay += met.rule->delay ? *met.rule->delay - in.rules.extra_delay : Nanoseconds{0};
    keep_order_of_rule(met, in.arrived, fate);
  }
}

}  // namespace

Fate draw_fate(std::uint64_t seed, LinkSlot link, const FateInputs& in, LinkNow& now) {
  const FrameRandom own = link_random(seed, link, now.frames++);
  FrameRandom random = own;
  Fate fate;
  if (in.length - in.payload > now.mtu_bytes) {
    fate.lost = DropReason::kTooLong;
    return fate;
  }
  if (!in.state.reachable) {
    fate.lost = DropReason::kUnreachable;
    fate.failing_tries = tries_of(in.rules, in.group);
    return fate;
  }
  const ImpairedFrame frame{in.arrived, in.since_start, seed, link.value()};
  MetRule met;
  if (in.rules.impairments) {
    met = met_rule(*in.rules.impairments, in.head, in.length, in.flows);
    fate.lost = draw_loss(*in.rules.impairments, met, frame, *in.memory, random);
    if (fate.lost) {
      return fate;
    }
  }
  draw_errors(in, random, now, fate);
  fate.delay = now.delay + (in.rules.retry_delay + in.rules.repeat_delay) * fate.failing_tries;
  if (in.rules.impairments && !fate.lost) {
    // Draws of their own: how many the errors take must not matter for what follows.
    FrameRandom timing = own.later();
    add_timing(in, met, frame, timing, fate);
  }
  return fate;
}

}  // namespace hilgate
