// SPDX-License-Identifier: Apache-2.0
// What a link is like, in the numbers that status, feeds and RADIO_STATUS share.
#pragma once

#include <cstddef>

#include "netsim_link/air_plan.h"

namespace hilgate {

struct LinkReading {
  bool reachable = false;
  bool line_of_sight = true;
  bool has_radio = false;  // false: a cable, or a netsim that does not say; no power, no noise
  double rssi_dbm = 0;
  double snr_db = 0;
  double rate_mbps = 0;
  double frame_loss = 0;  // probability, of a 1514-byte frame sent once
  double least_loss = 0;  // likewise, of the shortest that the radio sends
  Nanoseconds delay{0};
};

/// The link between two robots of a table with `ends` numbers. Over access points: power and noise where it arrives by
/// radio (at the sender's access point for a receiver by cable), the least rate, what is lost on all of the way; while
/// one of the two is at no access point, as a link without radio out of reach. In a mesh the way that its route takes,
/// with power and noise of the last hop; without a route out of reach.
LinkReading read_link(const LinkTable& table, const AirPlan& air, std::size_t ends, RobotIndex from, RobotIndex to);

}  // namespace hilgate
