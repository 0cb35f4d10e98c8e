// SPDX-License-Identifier: Apache-2.0
// What is wrong with an answer's kind and window counter (time_val), on both links of ROS-NetSim.
#pragma once

#include <cstdint>

#include "physics_link/connection/protocol_fault.h"

namespace hilgate::rosnetsim {

/// A BEGIN where an END is due.
ProtocolFault no_end(std::uint32_t window, std::uint32_t asked);

/// An END with another counter than its BEGIN. The reference coordinator never looks at it, so this is soft: simulators
/// that leave it out, or count for themselves, work there.
ProtocolFault other_window(std::uint32_t window, std::uint32_t asked);

}  // namespace hilgate::rosnetsim
