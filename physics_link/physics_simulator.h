// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "clock/time.h"
#include "physics_link/scene.h"
#include "physics_link/simulator.h"

namespace hilgate {

/// What one BEGIN asks a simulator to advance through: sim time [from, from + length).
struct Step {
  std::uint64_t window = 0;  // the window it is part of
  std::uint64_t number = 0;  // counts the BEGINs to this simulator, from 0
  SimTime from{};
  Nanoseconds length{0};
  [[nodiscard]] SimTime end() const { return from + length; }
};

/// A payload from one simulator to the other, which the gateway carries without reading it.
struct PeerPayload {
  enum class Form : std::uint8_t {
    kNone,
    kRosNetSimChannels,  // gzip of ChannelData
    kDancers,            // gzip of whatever the DANCERS connectors exchange
  };
  Form form = Form::kNone;
  std::string bytes{};
};

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
