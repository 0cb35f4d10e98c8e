// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "clock/time.h"
#include "physics_link/physics_simulator.h"
#include "physics_link/scene.h"

namespace hilgate {

/// Where scenes come from. Called on the control thread only.
class Physics {
 public:
  virtual ~Physics() = default;
  Physics() = default;
  Physics(const Physics&) = delete;
  Physics& operator=(const Physics&) = delete;

  /// Writes the scene at `at` into `scene`, reusing its storage. Instants do not go backwards.
  virtual void scene_at(SimTime at, Scene& scene) = 0;

  /// The scenes at all instants from `at`, the last one requested, to this one are equal but for their time.
  [[nodiscard]] virtual SimTime still_until(SimTime at) const { return at; }
};

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
