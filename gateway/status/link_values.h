// SPDX-License-Identifier: Apache-2.0
// What a link is configured to do to frames, and what that and its air come to now.
#pragma once

#include <cstdint>
#include <optional>

#include "clock/time.h"
#include "netsim_link/air_plan.h"
#include "netsim_link/link_reading.h"

namespace hilgate {

/// As `links` and traces have it; nothing where they say nothing.
struct ConfiguredLink {
  std::optional<Nanoseconds> delay;  // with the mean of its distribution
  std::optional<double> rate_mbps;
  std::optional<double> loss;  // of a full frame: by the loss model, every n-th frame and bit errors that lose frames
  std::optional<std::uint32_t> queue;  // frames that may wait for the rate
};

/// Of a full frame on an idle link.
struct EffectiveLink {
  Nanoseconds delay{0};  // the air's and the configured one, with that of a trace at this instant
  double rate_mbps = 0;  // the least of the radio's, the configured one and the trace's; 0: no limit
  double loss = 0;       // of one try: on the air, configured, by a trace, and 1 in an outage
};

ConfiguredLink configured_link(const LinkRules& rules);
EffectiveLink effective_link(const LinkRules& rules, const LinkReading& reading, SimTime now);

}  // namespace hilgate
