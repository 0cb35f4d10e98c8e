// SPDX-License-Identifier: Apache-2.0
#include "physics_link/feeds/position_feed.h"

#include "clock/host_now.h"
#include "physics_link/foreign_numbers.h"

namespace hilgate {

PositionFeed::PositionFeed(const std::vector<std::string>& robots) : poses_(robots.size()), heard_(robots.size()) {
  for (std::uint32_t i = 0; i < robots.size(); ++i) {
    names_.emplace(robots[i], RobotIndex{i});
  }
}

bool PositionFeed::move(std::string_view robot, const Vec3& to) {
  if (!is_bounded(to)) {
    ++counters_.malformed;
    return false;
  }
  const auto found = names_.find(std::string(robot));
  if (found == names_.end()) {
    ++counters_.unknown;
    return false;
  }
  place(found->second, {.position = to, .orientation = {}, .oriented = false});
  return true;
}

void PositionFeed::place(RobotIndex robot, const Pose& pose) {
  ++counters_.positions;
  poses_[robot.value()] = pose;
  heard_[robot.value()] = host_now();
}

void PositionFeed::scene_at(SimTime at, Scene& scene) {
  scene.at = at;
  scene.robots = poses_;
  scene.sights.open_all(pair_count(poses_.size()));
}

}  // namespace hilgate
