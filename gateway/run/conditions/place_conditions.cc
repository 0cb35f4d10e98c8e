// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/conditions/place_conditions.h"

#include <fmt/format.h>

#include <algorithm>

namespace hilgate {
namespace {

constexpr double kLowest = -1;  // m; what stands on the ground may be told as a little under it

}  // namespace

std::string fault_of_place(const Configuration& configuration, const Vec3& place) {
  if (place.z < kLowest) {
    return fmt::format("at z = {:g} m is under the ground, which is z = 0", place.z);
  }
  for (const ObstacleConfig& obstacle : configuration.world.obstacles) {
    if (!obstacle.obstacle.wall_m && contains(obstacle.obstacle.box, place)) {
      return fmt::format("at {:g}, {:g}, {:g} m is within the solid obstacle '{}'", place.x, place.y, place.z,
                         obstacle.name);
    }
  }
  return {};
}

void find_place_conditions(const Configuration& configuration, const Scene& scene, std::vector<Condition>& found) {
  for (std::size_t i = 0; i < std::min(scene.robots.size(), configuration.robots.size()); ++i) {
    const std::string& name = configuration.robots[i].name;
    if (const std::string fault = fault_of_place(configuration, scene.robots[i].position); !fault.empty()) {
      found.push_back({.name = "robot_misplaced", .about = name, .text = fmt::format("robot {}: {}", name, fault)});
    }
  }
}

}  // namespace hilgate
