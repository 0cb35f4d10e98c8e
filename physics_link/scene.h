// SPDX-License-Identifier: Apache-2.0
// Scene: physics' answer at a window: poses, sights and the obstacles between robots.
#pragma once

#include <vector>

#include "clock/time.h"
#include "frame/id.h"
#include "physics_link/place.h"
#include "physics_link/sights.h"

namespace hilgate {

struct Scene {
  SimTime at{};
  std::vector<Pose> robots;  // by RobotIndex
  Sights sights;             // by pair_index

  [[nodiscard]] const Sight& between(RobotIndex a, RobotIndex b) const { return sights[pair_index(a, b)]; }
};

}  // namespace hilgate
