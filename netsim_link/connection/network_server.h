// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "netsim_link/connection/network_codec.h"
#include "physics_link/connection/simulator_server.h"

namespace hilgate {

/// Puts a NetworkSimulator of ours at the end of a wire: hilgate's radio models as a drop-in network simulator for
/// a foreign coordinator, or a dummy for tests.
class NetworkServer {
 public:
  /// `over` as SimulatorServer's. `simulator` must outlive the server.
  NetworkServer(asio::io_context& io, LinkOptions options, std::unique_ptr<NetworkCodec> codec,
                NetworkSimulator& simulator, Mischief mischief, ConnectionReporter reporter,
                std::function<void(const std::string&)> over);

  /// See FrameLink::open(), which may throw.
  void open() { server_.open(); }
  [[nodiscard]] const SimulatorServer& wire() const { return server_; }

 private:
  MaybeFault begin(std::string_view body);

  std::unique_ptr<NetworkCodec> codec_;
  NetworkSimulator& simulator_;
  ReceivedQuestion question_;
  std::string body_;
  SimulatorServer server_;
};

}  // namespace hilgate
