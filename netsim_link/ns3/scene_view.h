// SPDX-License-Identifier: GPL-2.0-only
// Positions and obstacles of the physics simulator's latest scene, for the models inside ns-3.
#pragma once

#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "physics_link/scene.h"

namespace hilgate::ns3net {

class SceneView {
 public:
  explicit SceneView(std::vector<double> wall_losses_db, double blocked_loss_db)
      : wall_losses_db_(std::move(wall_losses_db)), blocked_loss_db_(blocked_loss_db) {}

  /// Robots are known by what stands for their position inside ns-3.
  void know(const void* mobility, RobotIndex robot) { robots_.emplace(mobility, robot); }
  void use(const Scene& scene) { scene_ = scene; }

  /// Null where an end is no robot, or before the first scene of physics.
  [[nodiscard]] const Sight* between(const void* a, const void* b) const {
    const auto one = robots_.find(a);
    const auto other = robots_.find(b);
    if (one == robots_.end() || other == robots_.end() || one->second == other->second || scene_.sights.empty()) {
      return nullptr;
    }
    return &scene_.between(one->second, other->second);
  }

  /// Loss of the walls on the straight line, in addition to that of the distance.
  [[nodiscard]] double walls_db(const Sight& sight) const {
    double loss = sight.line_of_sight || !sight.walls.empty() ? 0 : blocked_loss_db_;
    for (const WallCrossing& wall : sight.walls) {
      loss += wall.material < wall_losses_db_.size() ? wall_losses_db_[wall.material] : 0;
    }
    return loss;
  }

 private:
  std::map<const void*, RobotIndex> robots_;
  Scene scene_;
  std::vector<double> wall_losses_db_;
  double blocked_loss_db_;
};

}  // namespace hilgate::ns3net
