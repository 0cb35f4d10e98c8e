// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "physics_link/obstacles.h"
#include "physics_link/physics_simulator.h"

namespace hilgate {

/// Obstacles of the configuration in the world of any physics: what stands on the straight line between two robots
/// comes into its scenes as walls. A pair whose traced paths have losses stays as physics has it, which knows what they
/// cross; paths without losses are geometry alone, and give way to the walls.
class ObstructedPhysics final : public PhysicsSimulator {
 public:
  ObstructedPhysics(std::unique_ptr<PhysicsSimulator> physics, Obstacles obstacles)
      : physics_(std::move(physics)), obstacles_(std::move(obstacles)) {}

  void open(Listener listener) override;
  void begin(const PhysicsQuestion& question) override { physics_->begin(question); }
  [[nodiscard]] SimTime unchanged_until(SimTime from) const override { return physics_->unchanged_until(from); }
  [[nodiscard]] bool answering() const override { return physics_->answering(); }
  void close() override { physics_->close(); }

 private:
  void obstruct(Scene& scene);

  std::unique_ptr<PhysicsSimulator> physics_;
  Obstacles obstacles_;
  std::vector<WallCrossing> walls_;  // of one pair, while it is looked at
  Listener listener_;
};

}  // namespace hilgate
