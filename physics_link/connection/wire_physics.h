// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "physics_link/connection/physics_codec.h"
#include "physics_link/connection/step_link.h"
#include "physics_link/physics_simulator.h"

namespace hilgate {

/// A physics simulator at the other end of a socket, whatever it speaks.
class WirePhysics final : public PhysicsSimulator {
 public:
  WirePhysics(asio::io_context& io, StepLinkOptions options, std::unique_ptr<PhysicsCodec> codec,
              ConnectionReporter reporter);

  void open(Listener listener) override;
  void begin(const Step& step, const ForeignPayload* from_network) override;
  void close() override;

  [[nodiscard]] const WireCounters& counters() const { return link_.counters(); }
  /// For listening on TCP port 0.
  [[nodiscard]] std::uint16_t local_port() { return link_.link().local_port(); }

 private:
  std::unique_ptr<PhysicsCodec> codec_;
  Listener listener_;
  PhysicsAnswer answer_;
  std::string body_;
  StepLink link_;
};

}  // namespace hilgate
