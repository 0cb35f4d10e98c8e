// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "physics_link/physics.h"
#include "physics_link/physics_simulator.h"

namespace hilgate {

/// A Physics of our own process as a simulator: it answers at once, with the scene at the end of the step, as a
/// simulator that has advanced through it would.
class EmbeddedPhysics final : public PhysicsSimulator {
 public:
  explicit EmbeddedPhysics(Physics& physics) : physics_(physics) {}

  void open(Listener listener) override {
    listener_ = std::move(listener);
    listener_.ready();
  }
  void begin(const Step& step, const ForeignPayload*) override {
    answer_.has_scene = true;
    physics_.scene_at(step.end(), answer_.scene);
    listener_.ended(answer_);
  }
  void close() override {}

 private:
  Physics& physics_;
  Listener listener_;
  PhysicsAnswer answer_;
};

}  // namespace hilgate
