// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "clock/time.h"
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

}  // namespace hilgate
