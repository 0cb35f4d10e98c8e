// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "physics_link/connection/simulator_codec.h"
#include "physics_link/physics_simulator.h"

namespace hilgate {

/// A PhysicsQuestion that owns what it holds: the simulator's end of the connection.
struct ReceivedPhysicsQuestion {
  Step step{};
  PeerPayload from_network{};  // without bytes when nothing came

  [[nodiscard]] PhysicsQuestion asked() const {
    return {.step = step, .from_network = from_network.bytes.empty() ? nullptr : &from_network};
  }
};

using PhysicsCodec = SimulatorCodec<PhysicsSimulator, ReceivedPhysicsQuestion>;

}  // namespace hilgate
