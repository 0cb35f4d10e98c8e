// SPDX-License-Identifier: Apache-2.0
// What does not change from window to window: how radios send, who shares the air, what happens to errors.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "clock/time.h"
#include "netsim_link/impairments/impairments.h"
#include "netsim_link/link_state.h"
#include "rf_profiles/error_policy.h"
#include "rf_profiles/phy_mode.h"

namespace hilgate {

/// A shared half-duplex medium (CSMA/CA in the manner of IEEE 802.11 DCF).
struct AirDomain {
  Nanoseconds slot{9'000};
  Nanoseconds difs{34'000};
  std::uint32_t cw_min = 15;  // contention window, slots
  std::uint32_t cw_max = 1023;
};

/// How one robot's radio gets at its medium.
struct Station {
  std::uint32_t domain = 0;        // index into AirPlan::domains
  std::uint32_t queue_frames = 0;  // transmit queue, frames; full is a drop
};

/// What configuration fixes for one link, on top of its state.
struct LinkRules {
  ErrorPolicy policy = ErrorPolicy::kFcsDrop;
  std::uint32_t tries = 7;     // with kArq: transmissions of a unicast frame, the first included; at least 1
  Nanoseconds retry_delay{0};  // with kArq and without a station: added per repeat, where no medium times repeats
  BitHazard extra_hazard{};    // errors on the air beside the radio's own
  double burst_continues = 0;  // probability that the bit after a wrong one is wrong too: 1 - 1 / (mean run), [0, 1)
  bool protect_headers = true;  // a hit in a header loses the frame; else errors hit all its bytes, addresses included
  Nanoseconds extra_delay{0};  // added to the release time
  std::shared_ptr<const Impairments> impairments = nullptr;  // null: none
};

struct AirPlan {
  std::vector<PhyMode> modes;  // LinkState's mode indices point here
  std::vector<AirDomain> domains;
  std::vector<std::optional<Station>> stations;  // by RobotId; empty: no shared medium, full duplex
  std::vector<LinkRules> rules;                  // by LinkId
};

}  // namespace hilgate
