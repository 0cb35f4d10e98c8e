// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "gateway/configuration/configuration.h"
#include "gateway/run/planes/robot_slots.h"
#include "path/settings/path_settings.h"

namespace hilgate {

/// What the packet path knows of a configuration's robots, in their order.
std::vector<RobotEntry> configured_robots(const Configuration& configuration, const PortSlots& slots);

/// What the packet path takes from a configuration.
PathSettings configured_path(const Configuration& configuration, const AirPlan& air, const RobotSlots& slots);

}  // namespace hilgate
