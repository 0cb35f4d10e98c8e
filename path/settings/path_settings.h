// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "clock/ptp/ptp_passage.h"
#include "netsim_link/air_plan.h"
#include "path/addresses/directory.h"
#include "path/fate/table_robots.h"
#include "path/hold/hold.h"
#include "path/settings/tap.h"

namespace hilgate {

/// What a packet path is built from.
struct PathSettings {
  std::uint64_t seed = 1;
  std::uint32_t frame_limit = 9018;  // bytes without FCS; longer frames are dropped
  std::size_t hold_frames = 65536;   // deliveries held, those waiting for the medium included
  HoldCaches hold_caches{};          // of the processor that the path runs on
  std::size_t parked_packets = 0;    // room for frames that wait for verdicts; 0: the link states decide
  bool reference_errors = false;     // verdicts' bit errors as ROS-NetSim's reference makes them
  bool resolution_unjudged = false;  // ARP and neighbour discovery need no verdict
  bool answers_neighbours = false;   // ARP and neighbour discovery for robots is answered at the asking robot's port
  TapSettings tap{};                 // which frames are copied to the control thread; fixed over changes
  /// By slot. A slot is a robot's index in the path: a robot keeps it, and with it its links, over changes of the
  /// configuration. `air` is by slots and their links, too.
  std::vector<RobotEntry> robots;
  AirPlan air;
  /// Which robot of the newest configuration has which slot. Without slots: each has that of its index.
  TableRobots slots{};
  /// Slots that another robot had before: their links begin anew.
  std::vector<RobotSlot> passed_on{};

  /// By PortSlot: what becomes of PTP that robots send. Empty: it goes through the air.
  std::vector<PtpPassage> ptp{};

  [[nodiscard]] TableRobots table_robots() const { return slots.slots() > 0 ? slots : TableRobots(robots.size()); }
  /// Held frames that can wait with damage to be done; beyond that it is done at capture.
  [[nodiscard]] std::size_t damage_notes() const { return std::max<std::size_t>(hold_frames / 8, 256); }
};

}  // namespace hilgate
