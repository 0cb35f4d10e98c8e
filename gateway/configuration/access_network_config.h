// SPDX-License-Identifier: Apache-2.0
// Infrastructure mode of the embedded netsim, as a file asks for it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "clock/time.h"
#include "netsim_link/embedded/antennas.h"
#include "netsim_link/embedded/association.h"
#include "physics_link/scene.h"

namespace hilgate {

struct AccessPointConfig {
  std::string name;
  std::optional<RobotIndex> robot;  // that is the access point; absent: a fixed one, at `position`
  Vec3 position;
  AntennaMount antenna;  // of a fixed one
  std::string radio;     // profile; the robot's own where it is one
  std::string channel;   // those of one channel and one radio domain share the air
};

struct AccessNetworkConfig {
  std::vector<AccessPointConfig> access_points;  // none: no infrastructure mode
  Nanoseconds delay{0};                          // of the distribution system, [0, 1h]
  Roaming roaming;
};

}  // namespace hilgate
