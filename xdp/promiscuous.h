// SPDX-License-Identifier: Apache-2.0
// A NIC drops unicast frames for other addresses than its own; a port is there for exactly those.
#pragma once

#include <string>

#include "host/file_descriptor.h"
#include "xdp/interface.h"

namespace hilgate {

/// The interface takes frames for all addresses until the result is gone, or the process. Virtual ethernet does anyway.
/// Needs CAP_NET_RAW. Throws std::runtime_error.
FileDescriptor take_frames_for_all(const Interface& interface);

/// The same as a flag of the interface, which outlives the process: for ports that are wired in the kernel when it
/// dies. True when it changed. Needs CAP_NET_ADMIN. Throws std::runtime_error, also when there is no such interface.
bool set_promiscuous(const std::string& interface, bool on);

}  // namespace hilgate
