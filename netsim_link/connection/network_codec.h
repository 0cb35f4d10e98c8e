// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "netsim_link/network_simulator.h"
#include "physics_link/connection/wire_fault.h"
#include "physics_link/connection/wire_manners.h"

namespace hilgate {

/// A NetworkQuestion that owns what it holds: the simulator's end of the wire.
struct ReceivedQuestion {
  Step step{};
  std::vector<CapturedPacket> packets{};
  Scene scene{};
  bool has_scene = false;  // one was received, now or earlier
  ForeignPayload payload{};
  bool fresh = false;  // scene or payload came with this question
};

/// One protocol between the gateway and a network simulator, for either end of the wire; as PhysicsCodec.
class NetworkCodec : public WireManners {
 public:
  // The gateway's end.
  virtual void encode_begin(const NetworkQuestion& question, std::string& body) = 0;
  [[nodiscard]] virtual MaybeFault decode_end(std::string_view body, NetworkAnswer& answer) = 0;

  // The simulator's end. `question` is the one before.
  [[nodiscard]] virtual MaybeFault decode_begin(std::string_view body, ReceivedQuestion& question) = 0;
  virtual void encode_end(const NetworkAnswer& answer, std::string& body) = 0;
};

}  // namespace hilgate
