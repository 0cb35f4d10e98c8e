// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "frame/counter.h"
#include "frame/counters.h"
#include "frame/drop_reason.h"

namespace hilgate {

/// What the tunnels have counted, at the end of some iteration. Plain data.
struct TunnelTotals {
  std::uint64_t crossed_in = 0;   // from cores
  std::uint64_t crossed_out = 0;  // to cores
  std::uint64_t site_out = 0;
  std::uint64_t site_in = 0;
  std::uint64_t requests_out = 0;
  std::uint64_t requests_in = 0;
  std::uint64_t deliveries = 0;  // frames that were to be decided elsewhere and did not get there: dropped
  std::uint64_t damaged = 0;
  std::array<std::uint64_t, kDropReasons> dropped{};
};

/// Of one link, read while the thread goes on.
struct TunnelLinkCounters {
  Counter out, in, damaged;
  std::array<Counter, kDropReasons> dropped;

  void add_to(LinkCounts& counts) const {
    counts.site_out += out.get();
    counts.site_in += in.get();
    counts.damaged += damaged.get();
    for (std::size_t i = 0; i < kDropReasons; ++i) {
      counts.dropped[i] += dropped[i].get();
    }
  }
};

}  // namespace hilgate
