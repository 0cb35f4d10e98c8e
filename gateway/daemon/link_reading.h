// SPDX-License-Identifier: Apache-2.0
// What a link is like, in the numbers that status, feeds and RADIO_STATUS share.
#pragma once

#include <cmath>

#include "netsim_link/air_plan.h"

namespace hilgate {

struct LinkReading {
  bool reachable = false;
  bool has_radio = false;  // false: a cable, or a netsim that does not say; no power, no noise
  double rssi_dbm = 0;
  double snr_db = 0;
  double rate_mbps = 0;
  double frame_loss = 0;  // probability, of a 1514-byte frame sent once
};

inline LinkReading read_link(const LinkState& state, const AirPlan& air) {
  constexpr std::uint32_t kFullFrame = 1514;
  const PhyMode& mode = air.modes[state.unicast_mode];
  return {.reachable = state.reachable,
          .has_radio = state.rssi_dbm != 0 || state.snr_db != 0,
          .rssi_dbm = state.rssi_dbm,
          .snr_db = state.snr_db,
          .rate_mbps = mode.rate_bps / 1e6,
          .frame_loss = -std::expm1(-state.unicast.per_bit * static_cast<double>(mode.air_bits(kFullFrame)))};
}

}  // namespace hilgate
