// SPDX-License-Identifier: Apache-2.0
// What traced paths say of the air between two robots. ROS-NetSim's ChannelData is the model: a path is a list of
// points, each with the loss of the transition there (a reflection, a wall passed), 0 where nothing is lost. The
// spreading of the wave over the path's length is not in these losses: the user of a path adds it.
#pragma once

#include <vector>

#include "config/units.h"
#include "physics_link/scene.h"

namespace hilgate {

/// One way from antenna to antenna.
struct TracedRay {
  double length_m = 0;     // at least the distance of the two robots
  Decibels transitions{};  // what its transitions take away together
};

/// The way along `path` from `from` to `to`. The path's ends count as the robots whether the simulator lists them or
/// not, and in either order: the shorter joining is meant.
[[nodiscard]] TracedRay ray_along(const Path& path, const Vec3& from, const Vec3& to);

/// The rays whose powers add up at the receiver, written over `rays`. Paths without any loss are geometry: a simulator
/// that sends only such paths gives their lengths and not the losses of reflections, so that only the shortest counts.
/// Empty for no paths.
void rays_between(const std::vector<Path>& paths, const Vec3& from, const Vec3& to, std::vector<TracedRay>& rays);

}  // namespace hilgate
