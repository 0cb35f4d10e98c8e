// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "physics_link/scene.h"
#include "physics_link/simulator.h"
#include "physics_link/step.h"

namespace hilgate {

struct PhysicsQuestion {
  Step step;
  /// The network simulator's payload for the physics simulator from the window before; null: nothing new.
  const PeerPayload* from_network = nullptr;
};

struct PhysicsAnswer {
  bool has_scene = false;  // false: nothing new, the last scene stands
  Scene scene{};
  PeerPayload payload{};

  /// Nothing new. Keeps the storage.
  void clear() {
    has_scene = false;
    payload.bytes.clear();
  }
};

/// Moves the world, one step at a time.
using PhysicsSimulator = Simulator<PhysicsQuestion, PhysicsAnswer>;

}  // namespace hilgate
