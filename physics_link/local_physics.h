// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "physics_link/physics.h"
#include "physics_link/physics_simulator.h"

namespace hilgate {

/// A Physics of our own process as a simulator: it answers at once, with the scene at the end of the step, as a
/// simulator that has advanced through it would; or at the beginning, for a network simulator that answers at once,
/// too, and whose link states are to be about this very window.
class LocalPhysics final : public PhysicsSimulator {
 public:
  enum class SceneAt : std::uint8_t { kStepBegin, kStepEnd };
  explicit LocalPhysics(Physics& physics, SceneAt at = SceneAt::kStepEnd) : physics_(&physics), at_(at) {}

  /// Another physics from the next step on.
  void use(Physics& physics) { physics_ = &physics; }

  void open(Listener listener) override {
    listener_ = std::move(listener);
    listener_.ready();
  }
  void begin(const PhysicsQuestion& question) override {
    const Step& step = question.step;
    answer_.has_scene = true;
    physics_->scene_at(at_ == SceneAt::kStepEnd ? step.end() : step.from, answer_.scene);
    listener_.ended(answer_);
  }
  [[nodiscard]] SimTime unchanged_until(SimTime from) const override {
    return at_ == SceneAt::kStepBegin ? physics_->still_until(from) : from;
  }
  void close() override {}

 private:
  Physics* physics_;
  SceneAt at_;
  Listener listener_;
  PhysicsAnswer answer_;
};

}  // namespace hilgate
