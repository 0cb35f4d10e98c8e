// SPDX-License-Identifier: Apache-2.0
// Pace dilate: the hot loop works in host time, so what the air takes in sim time lasts longer there. Does nothing at
// 1 000 000 ppm, real time.
#pragma once

#include "clock/int128.h"
#include "netsim_link/air_plan.h"

namespace hilgate {

/// How long a span of sim time lasts on the host's clock, `ppm` being sim time per host time.
constexpr Nanoseconds stretched(Nanoseconds span, std::uint32_t ppm) {
  return Nanoseconds{static_cast<std::int64_t>(static_cast<Int128>(span.count()) * 1'000'000 / ppm)};
}

inline void stretch(LinkTable& table, std::uint32_t ppm) {
  if (ppm != 1'000'000) {
    for (LinkState& link : table.links) {
      link.delay = stretched(link.delay, ppm);
    }
  }
}

/// A table that was stretched for one pace, for another.
inline void change_pace(LinkTable& table, std::uint32_t from_ppm, std::uint32_t to_ppm) {
  if (from_ppm != to_ppm) {
    for (LinkState& link : table.links) {
      link.delay = Nanoseconds{static_cast<std::int64_t>(static_cast<Int128>(link.delay.count()) * from_ppm / to_ppm)};
    }
  }
}

inline void stretch(AirPlan& air, std::uint32_t ppm) {
  for (PhyMode& mode : air.modes) {
    mode.preamble = stretched(mode.preamble, ppm);
    mode.symbol = stretched(mode.symbol, ppm);
    mode.ack = stretched(mode.ack, ppm);
    mode.block_ack = stretched(mode.block_ack, ppm);
    mode.rts = stretched(mode.rts, ppm);
    mode.sifs = stretched(mode.sifs, ppm);
  }
  for (AirDomain& domain : air.domains) {
    domain.slot = stretched(domain.slot, ppm);
    domain.difs = stretched(domain.difs, ppm);
    domain.tdma_slot = stretched(domain.tdma_slot, ppm);
    domain.tdma_guard = stretched(domain.tdma_guard, ppm);
  }
  for (std::optional<Station>& station : air.stations) {
    if (station) {
      station->aggregation.time = stretched(station->aggregation.time, ppm);
      station->duty.period = stretched(station->duty.period, ppm);
    }
  }
  air.distribution_delay = stretched(air.distribution_delay, ppm);
  for (LinkRules& rules : air.rules) {
    rules.extra_delay = stretched(rules.extra_delay, ppm);
    rules.retry_delay = stretched(rules.retry_delay, ppm);
    rules.repeat_delay = stretched(rules.repeat_delay, ppm);
  }
}

}  // namespace hilgate
