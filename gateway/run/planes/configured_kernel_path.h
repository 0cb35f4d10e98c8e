// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gateway/configuration/configuration.h"
#include "path/addresses/directory.h"
#include "xdp/kernel_path.h"

namespace hilgate {

/// What the kernel knows of the path's robots: all addresses; nothing of those at serial lines.
std::vector<KernelRobot> kernel_robots(std::span<const RobotEntry> slots);

/// What the kernel does for a run's ports on its own. Null where no port has a fail mode: then nothing of the gateway
/// outlives its process. Throws std::runtime_error.
std::unique_ptr<KernelPath> configured_kernel_path(const Configuration& configuration);

/// `wire on|off` of an active run. Throws std::runtime_error where no port has a fail mode.
void set_wired(const Configuration& configuration, bool wired);

/// Before the run: attaches the programs of the ports with a fail mode, whose interfaces are there, up or down, and
/// leaves them attached. Returns the interfaces. Throws std::runtime_error, also when the run is active.
std::vector<std::string> close_ports(const Configuration& configuration);

}  // namespace hilgate
