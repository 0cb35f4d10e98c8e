// SPDX-License-Identifier: Apache-2.0
// What a transmission carries: deliveries of one frame, and which part of their way it is.
#pragma once

#include <cstdint>

#include "frame/slab.h"
#include "netsim_link/link_state.h"
#include "path/hold/held_frame.h"

namespace hilgate {

/// Which part of its way a frame is on.
enum class Hop : std::uint8_t {
  kWhole,  // from robot to robot
  kUp,     // from a station to its access point
  kDown,   // from an access point to a station, or on the cable in front of it
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
};
static_assert(sizeof(AirDelivery) == 64);

}  // namespace hilgate
