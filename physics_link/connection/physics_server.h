// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "physics_link/connection/physics_codec.h"
#include "physics_link/connection/simulator_server.h"

namespace hilgate {

/// Puts a PhysicsSimulator of ours at the end of a wire, where a gateway or a foreign coordinator finds it.
class PhysicsServer {
 public:
  /// `over` as SimulatorServer's. `simulator` must outlive the server.
  PhysicsServer(asio::io_context& io, LinkOptions options, std::unique_ptr<PhysicsCodec> codec,
                PhysicsSimulator& simulator, Mischief mischief, ConnectionReporter reporter,
                std::function<void(const std::string&)> over);

  /// See FrameLink::open(), which may throw.
  void open() { server_.open(); }
  [[nodiscard]] const SimulatorServer& wire() const { return server_; }

 private:
  MaybeFault begin(std::string_view body);

  std::unique_ptr<PhysicsCodec> codec_;
  PhysicsSimulator& simulator_;
  ForeignPayload from_network_;
  Step step_;
  std::string body_;
  SimulatorServer server_;
};

}  // namespace hilgate
