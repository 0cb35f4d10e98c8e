// SPDX-License-Identifier: Apache-2.0
#include "physics_link/feeds/position_feed.h"

#include <cmath>

namespace hilgate {

PositionFeed::PositionFeed(const std::vector<std::string>& robots) : poses_(robots.size()) {
  for (std::uint32_t i = 0; i < robots.size(); ++i) {
    names_.emplace(robots[i], RobotId{i});
  }
}

bool PositionFeed::move(std::string_view robot, const Vec3& to) {
  if (!std::isfinite(to.x) || !std::isfinite(to.y) || !std::isfinite(to.z)) {
    ++counters_.malformed;
    return false;
  }
  const auto found = names_.find(std::string(robot));
  if (found == names_.end()) {
    ++counters_.unknown;
    return false;
  }
  ++counters_.positions;
  poses_[found->second.value()].position = to;
  return true;
}

void PositionFeed::scene_at(SimTime at, Scene& scene) {
  scene.at = at;
  scene.robots = poses_;
  scene.sights.assign(pair_count(poses_.size()), Sight{});
}

}  // namespace hilgate
