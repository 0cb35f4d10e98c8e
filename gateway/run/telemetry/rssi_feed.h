// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "clock/time.h"
#include "netsim_link/link_reading.h"

namespace hilgate {

/// A robot's links to one other.
struct PeerReading {
  std::string peer;
  LinkReading rx;  // how the robot hears its peer
  LinkReading tx;  // how its peer hears the robot
};

/// The datagrams that tell a robot of its links, each of at most `most` bytes and a JSON object of its own:
///   {"robot", "sim_time_s", "window", "part", "parts",
///    "links": [{"peer", "rx": {"reachable", "rssi_dbm", "snr_db", "rate_mbps", "loss"}, "tx": {...}}]}
/// Powers of links without a radio are left out. `most` is at least 600.
std::vector<std::string> feed_datagrams(const std::string& robot, SimTime at, std::uint64_t window,
                                        const std::vector<PeerReading>& peers, std::size_t most);

}  // namespace hilgate
