// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "path/cores/crossings.h"
#include "path/settings/path_settings.h"

namespace hilgate {

/// By slot: the core that decides the medium of the robot's radio, CrossingRings::kNoHome without one. Robots that
/// share a medium, or are on one network of access points, have one: the first of their ports' cores (by PortSlot), or,
/// over a change, the one that they had (`before`). Ports of `elsewhere` are at other gateways.
///
/// Throws std::runtime_error where a change would join media of different cores, and where a serial line is on another
/// core than its medium.
std::vector<std::size_t> media_homes(const PathSettings& settings, const std::vector<std::size_t>& core_of_port,
                                     std::size_t elsewhere, const std::vector<std::size_t>& before = {});

/// By slot: the core of the robot's port.
std::vector<std::size_t> cores_of_robots(const PathSettings& settings, const std::vector<std::size_t>& core_of_port);

}  // namespace hilgate
