// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "netsim_link/network_simulator.h"
#include "physics_link/connection/simulator_codec.h"

namespace hilgate {

/// A NetworkQuestion that owns what it holds: the simulator's end of the connection.
struct ReceivedNetworkQuestion {
  Step step{};
  std::vector<CapturedPacket> packets{};
  Scene scene{};
  bool has_scene = false;  // one was received, now or earlier
  PeerPayload payload{};
  bool fresh = false;  // scene or payload came with this question

  [[nodiscard]] NetworkQuestion asked() const {
    return {.step = step,
            .packets = packets,
            .scene = has_scene ? &scene : nullptr,
            .payload = payload.bytes.empty() ? nullptr : &payload,
            .fresh = fresh};
  }
};

using NetworkCodec = SimulatorCodec<NetworkSimulator, ReceivedNetworkQuestion>;

}  // namespace hilgate
