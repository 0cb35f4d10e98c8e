// SPDX-License-Identifier: Apache-2.0
// What a transmission carries: deliveries of one frame, and which part of their way it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "frame/drop_reason.h"
#include "frame/slab.h"
#include "netsim_link/link_state.h"
#include "path/air/medium.h"
#include "path/fate/fate.h"
#include "path/hold/held_frame.h"
#include "rf_profiles/phy/medium_access.h"
#include "rf_profiles/phy/phy_mode.h"

namespace hilgate {

/// Which part of its way a frame is on.
enum class Hop : std::uint8_t {
  kWhole,  // from robot to robot
  kUp,     // from a station to its access point
  kDown,   // from an access point to a station, or on the cable in front of it
  kRelay,  // from a station of a mesh to the next
  kFlood,  // no delivery: a transmission of a group frame that a mesh floods
};

/// The links of a transmission: the one between the robots, and the one on the air, which is another with access
/// points.
struct Passage {
  LinkSlot link;
  LinkSlot air;
  Hop hop = Hop::kWhole;
};

/// One delivery of a transmission that has not been on the air yet.
struct AirDelivery {
  PendingDelivery pending;
  NodeIndex next = kNoNode;
  LinkSlot air;               // Passage::air
  std::uint16_t payload = 0;  // offset of the bytes behind the MAC header
  Hop hop = Hop::kWhole;
  bool group = false;  // to a group address
  // In a mesh:
  std::uint16_t flood = 0;               // Hop::kFlood: in MediumStage::floods()
  std::uint8_t hops = 0;                 // transmissions so far, this one included
  DropReason lost = DropReason::kCount;  // of a flooded frame: what the last transmission in reach was lost by
};
static_assert(sizeof(AirDelivery) == 64);

/// A group frame that the stations of a mesh repeat, each of them once.
struct Flood {
  NodeIndex next = kNoNode;
  NodeIndex waiting = kNoNode;  // deliveries to those that have not received it
  std::uint32_t parts = 0;      // transmissions ahead
  std::uint32_t length = 0;     // bytes of the frame
  AccessCategory category = AccessCategory::kBestEffort;
  std::optional<DropReason> refused{};  // why one of the transmissions was not made
};
/// At a time. A group frame beyond them is dropped as hold_full.
inline constexpr std::size_t kFloods = 4096;

/// What a frame's fate makes of its time on the air: times and tries of a job whose length is set, for a frame that may
/// be sent `tries` times; 1 without acknowledgement.
inline void shape(AirJob& job, const PhyMode& mode, const Fate& fate, std::uint32_t tries, bool group,
                  float probing_ns = 0) {
  job.fragments = mode.fragments(job.length);
  job.air_time = mode.air_time(job.length);
  job.ack = group ? Nanoseconds{0} : mode.ack;
  job.failing_tries = group ? 0 : fate.failing_tries;
  job.tries_left = tries;
  job.probing = Nanoseconds{group ? 0 : static_cast<std::int64_t>(probing_ns)};
  job.air_time += job.probing;
  if (fate.fragments_sent > 0) {
    // Fragments are repeated one by one, each with its acknowledgement: for the medium they are one long transmission.
    const Nanoseconds fragment{(job.air_time.count() + job.fragments - 1) / job.fragments};
    job.fragments = fate.fragments_sent;
    job.air_time = fragment * job.fragments + job.ack * (job.fragments - 1);
    job.failing_tries = fate.lost ? 1 : 0;
    job.tries_left = fate.lost ? 1 : tries;
  }
}

}  // namespace hilgate
