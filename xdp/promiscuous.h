// SPDX-License-Identifier: Apache-2.0
// A NIC drops unicast frames for other addresses than its own; a port is there for exactly those.
#pragma once

#include "clock/descriptor.h"
#include "xdp/interface.h"

namespace hilgate {

/// The interface takes frames for all addresses until the result is gone, or the process. Virtual ethernet does anyway.
/// Needs CAP_NET_RAW. Throws std::runtime_error.
Descriptor take_frames_for_all(const Interface& interface);

}  // namespace hilgate
