// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "netsim_link/link_state.h"
#include "netsim_link/verdict.h"
#include "physics_link/physics_simulator.h"
#include "physics_link/scene.h"

namespace hilgate {

struct NetworkQuestion {
  Step step;
  std::span<const CapturedPacket> packets{};  // captured since the last question
  const Scene* scene = nullptr;               // null until physics has answered once
  const PeerPayload* payload = nullptr;       // physics' last words in its own language; null: none yet
  bool fresh = false;                         // scene and payload are newer than those of the last question
};

struct NetworkAnswer {
  std::vector<Verdict> verdicts{};
  /// Packets that get no further verdict; those passed already stand. Every packet must come to be forgotten, or it
  /// takes up memory until it expires.
  std::vector<std::uint64_t> forget{};
  bool has_links = false;
  LinkTable links{};
  PeerPayload payload{};  // for the physics simulator

  /// Nothing new. Keeps the storage.
  void clear() {
    verdicts.clear();
    forget.clear();
    has_links = false;
    payload.bytes.clear();
  }
};

/// Decides what the air does, one step at a time; packet by packet, or with link states, or both.
using NetworkSimulator = Simulator<NetworkQuestion, NetworkAnswer>;

}  // namespace hilgate
