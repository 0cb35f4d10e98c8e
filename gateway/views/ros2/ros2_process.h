// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <set>

#include "gateway/configuration/configuration.h"
#include "host/companion/companion_process.h"

namespace hilgate {

/// Starts hilgate-ros2, in which DDS runs, where the configuration asks for ROS 2; null where it does not. Before this
/// process has threads; the new one stays off `cpus`. Throws std::runtime_error when the program is not installed.
std::unique_ptr<CompanionProcess> start_ros2(const Configuration& configuration, const std::set<unsigned>& cpus);

}  // namespace hilgate
