// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "physics_link/connection/wire_fault.h"
#include "physics_link/connection/wire_manners.h"
#include "physics_link/physics_simulator.h"
#include "physics_link/step.h"

namespace hilgate {

/// One protocol between the gateway and a physics simulator, for either end of the wire. `body` is a frame's body,
/// replaced by encoders; it may be empty only where the protocol has such frames.
class PhysicsCodec : public WireManners {
 public:
  // The gateway's end.
  virtual void encode_begin(const Step& step, const ForeignPayload* from_network, std::string& body) = 0;
  /// The answer to the step encoded last. Sets all of `answer`, reusing its storage.
  [[nodiscard]] virtual MaybeFault decode_end(std::string_view body, PhysicsAnswer& answer) = 0;

  // The simulator's end.
  /// Sets `from_network.bytes` empty when nothing came.
  [[nodiscard]] virtual MaybeFault decode_begin(std::string_view body, Step& step, ForeignPayload& from_network) = 0;
  /// The answer to the step decoded last.
  virtual void encode_end(const PhysicsAnswer& answer, std::string& body) = 0;
};

}  // namespace hilgate
