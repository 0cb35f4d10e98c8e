// SPDX-License-Identifier: Apache-2.0
// Pace dilate: the packet loop works in host time, so what the air takes in sim time lasts longer there. Does nothing
// in real time.
#pragma once

#include "clock/clock_line.h"
#include "config/units.h"
#include "netsim_link/air_plan.h"

namespace hilgate {

/// How long a span of sim time lasts on the host's clock.
constexpr Nanoseconds stretched(Nanoseconds span, Dilation dilation) {
  return Nanoseconds{static_cast<std::int64_t>(static_cast<Int128>(span.count()) * 1'000'000 / dilation.ppm)};
}

inline void stretch(LinkTable& table, Dilation dilation) {
  if (dilation != Dilation{}) {
    table.each_heard([dilation](LinkState& link) { link.delay = stretched(link.delay, dilation); });
  }
}

/// A table that was stretched for one pace, for another.
inline void change_pace(LinkTable& table, Dilation from, Dilation to) {
  if (from != to) {
    table.each_heard([from, to](LinkState& link) {
      link.delay = Nanoseconds{static_cast<std::int64_t>(static_cast<Int128>(link.delay.count()) * from.ppm / to.ppm)};
    });
  }
}

inline void stretch(AirPlan& air, Dilation dilation) {
  for (PhyMode& mode : air.modes) {
    mode.preamble = stretched(mode.preamble, dilation);
    mode.symbol = stretched(mode.symbol, dilation);
    mode.ack = stretched(mode.ack, dilation);
    mode.block_ack = stretched(mode.block_ack, dilation);
    mode.rts = stretched(mode.rts, dilation);
    mode.sifs = stretched(mode.sifs, dilation);
  }
  for (AirDomain& domain : air.domains) {
    domain.slot = stretched(domain.slot, dilation);
    domain.difs = stretched(domain.difs, dilation);
    domain.tdma_slot = stretched(domain.tdma_slot, dilation);
    domain.cca = stretched(domain.cca, dilation);
    domain.turnaround = stretched(domain.turnaround, dilation);
    domain.interframe = stretched(domain.interframe, dilation);
    domain.tdma_guard = stretched(domain.tdma_guard, dilation);
  }
  for (std::optional<Station>& station : air.stations) {
    if (station) {
      station->aggregation.time = stretched(station->aggregation.time, dilation);
      station->more_ifs = stretched(station->more_ifs, dilation);
      station->duty.period = stretched(station->duty.period, dilation);
    }
  }
  air.distribution_delay = stretched(air.distribution_delay, dilation);
  for (LinkRules& rules : air.rules) {
    rules.extra_delay = stretched(rules.extra_delay, dilation);
    rules.retry_delay = stretched(rules.retry_delay, dilation);
    rules.repeat_delay = stretched(rules.repeat_delay, dilation);
  }
}

}  // namespace hilgate
